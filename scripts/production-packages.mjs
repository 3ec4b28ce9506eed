// Which installed packages the service needs to run: everything that the lock file leads to from the workspaces that ship.

const SHIPPED = ['protocol', 'server', 'sdk', 'cli']

/** Paths of package-lock.json, such as `node_modules/fastify`: first the workspaces, then what they need. */
export function listProductionPackages(lock) {
  const found = new Set(SHIPPED)
  for (const path of found) {
    for (const name of listNeeds(lock.packages[path])) {
      const place = locate(lock, path, name)
      if (place) found.add(place)
    }
  }
  return { workspaces: SHIPPED, packages: [...found].filter(path => !SHIPPED.includes(path)).sort() }
}

/** Required peers count too: they are imported, whichever package installed them. */
function listNeeds({ dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies).filter(name => !peerDependenciesMeta[name]?.optional)
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]
}

/** Where Node finds `name` from `path`: beside it, then in each folder above. A link leads to its workspace. */
export function locate(lock, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/'), 0))) {
    const place = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const entry = lock.packages[place]
    if (entry) return entry.link ? entry.resolved : place
    if (folder === '') return undefined
  }
}
