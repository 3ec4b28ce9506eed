"""Removes nodes that nothing needs any more."""


def keep_live(g, nodes):
    """Leaves only the nodes that an output needs."""
    wanted, live = {o.name for o in g.output}, []
    for n in reversed(nodes):
        if any(o in wanted for o in n.output):
            wanted.update(n.input)
            live.append(n)
    del g.node[:]
    g.node.extend(reversed(live))
