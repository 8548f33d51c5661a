// The style of the page of docs-page.ts: light and dark, from 390 px on.

export const DOCS_STYLE = `
:root {
  --paper: #fff; --ink: #1b1d21; --quiet: #5c6470; --line: #dfe3e8; --box: #f5f6f8; --link: #0b57c2;
  --get: #0a6b3d; --post: #8a4b00; --delete: #a3182b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --ink: #e6e8eb; --quiet: #9aa3af; --line: #2c3138; --box: #1c2026; --link: #82b4ff;
    --get: #5fd39a; --post: #f0b161; --delete: #ff8a95;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr);
  background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif;
}
nav {
  position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem;
  border-right: 1px solid var(--line); font-size: 0.875rem;
}
nav ul { margin: 0.25rem 0 0.75rem; padding: 0 0 0 0.75rem; list-style: none; }
nav li { margin: 0.3rem 0; line-height: 1.35; }
main { padding: 1rem 2rem 4rem; max-width: 60rem; }
h1 { margin: 0.5rem 0; } h2 { margin: 3rem 0 0; } h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
h4 { margin: 1rem 0 0.25rem; }
p { margin: 0.4rem 0; }
article { margin: 1.25rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; }
article:target { border-color: var(--link); }
a { color: var(--link); }
small { color: var(--quiet); }
summary { cursor: pointer; padding: 0.15rem 0; }
code, pre { font: 0.85em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre {
  margin: 0.4rem 0; padding: 0.75rem; overflow: auto; max-height: 30rem;
  background: var(--box); border-radius: 6px;
}
pre b { font-weight: 600; } pre i { font-style: normal; } pre s, td s { text-decoration: none; color: var(--quiet); }
pre em { color: var(--quiet); font-style: normal; }
form.try fieldset { border: 0; margin: 0.5rem 0; padding: 0; }
form.try label { display: block; margin: 0.4rem 0; font-size: 0.875rem; }
form.try input, form.try textarea {
  display: block; width: 100%; max-width: 40rem; padding: 0.35rem 0.5rem; color: inherit; background: var(--box);
  border: 1px solid var(--line); border-radius: 6px; font: 0.85rem/1.5 ui-monospace, Menlo, Consolas, monospace;
}
form.try output {
  display: block; padding: 0.75rem; overflow: auto; max-height: 30rem; background: var(--box); border-radius: 6px;
  font: 0.85em/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
}
form.try output[hidden] { display: none; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.75rem 0.3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--quiet); font-weight: 500; }
dl { display: grid; grid-template-columns: 4rem 1fr; margin: 0.5rem 0; } dd { margin: 0; }
.get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
@media (max-width: 50rem) {
  body { display: block; }
  nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); }
  main { padding: 1rem; }
}
`.trimStart();
