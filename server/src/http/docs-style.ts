// The look of /docs: readable on a phone, light or dark as the reader's system is.

export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #59636e; --line: #d8dee4; --paper: #fff; --shade: #f4f6f8; --accent: #0b6e4f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --soft: #9aa4af; --line: #30363d; --paper: #0f1317; --shade: #181d23; --accent: #4cc38a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 54rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; margin: 0; } h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { margin: 1.6rem 0 .4rem; font-size: 1rem; }
a { color: var(--accent); } p { margin: .5rem 0; } .soft { color: var(--soft); }
nav ul { list-style: none; padding: 0; } nav li { margin: .3rem 0; }
code, pre { font: .875em/1.5 ui-monospace, monospace; background: var(--shade); border-radius: .25rem; }
code { padding: .1em .3em; } pre { padding: .8rem; overflow-x: auto; overflow-wrap: normal; } pre code { padding: 0; }
.method { display: inline-block; min-width: 3.5rem; font-weight: 700; color: var(--accent); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); }
th { font-size: .85rem; color: var(--soft); font-weight: 600; }
`
