// Highlight: the words of an example in classes, when the site is built: a browser has nothing to compute, and the
// page needs no inline style. A few patterns for each language of our documents; a word that no pattern knows stays
// plain.

type Kind = "comment" | "string" | "number" | "keyword" | "name";
type Grammar = readonly (readonly [Kind, RegExp])[];

const string: Grammar = [["string", /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/]];
const number: Grammar = [
  ["number", /\b\d[\d_.]*\b|\b(?:true|false|null|undefined|None|True|False)\b/],
];
const hash: Grammar = [["comment", /(?<=^|\s)#[^\n]*/m]];

const typescript: Grammar = [
  ["comment", /\/\/[^\n]*|\/\*[\s\S]*?\*\//],
  ["string", /`(?:[^`\\]|\\.)*`/],
  ...string,
  [
    "keyword",
    /\b(?:import|from|export|default|const|let|async|await|function|return|if|else|for|of|in|new|type|interface|class|throw|try|catch|finally|as|satisfies)\b/,
  ],
  ...number,
  ["name", /\b[a-zA-Z_$][\w$]*(?=\()/],
];
const shell: Grammar = [
  ...hash,
  ...string,
  [
    "keyword",
    /(?<=^|[\n|;&(]\s*|\$ )(?:npx aos|aos|npm|node|curl|git|cp|cat|kill|export|docker|helm|kubectl|systemctl|apt)\b/,
  ],
  ["name", /(?<=\s)--?[a-zA-Z][\w-]*/],
  ["number", /\$[A-Z_]+|\$\{[^}]*\}/],
];
const yaml: Grammar = [
  ...hash,
  ["name", /(?<=^\s*(?:- )?)[\w.*/-]+(?=:(?:\s|$))/m],
  ...string,
  ...number,
];
const json: Grammar = [["name", /"(?:[^"\\\n]|\\.)*"(?=\s*:)/], ...string, ...number];
const python: Grammar = [
  ...hash,
  ...string,
  [
    "keyword",
    /\b(?:import|from|def|return|if|else|for|in|while|with|as|class|async|await|try|except|raise|lambda|not|and|or)\b/,
  ],
  ...number,
  ["name", /\b[a-zA-Z_]\w*(?=\()/],
];

const grammars: Readonly<Record<string, Grammar>> = {
  sh: shell,
  console: shell,
  ts: typescript,
  typescript,
  js: typescript,
  yaml,
  json,
  jsonl: json,
  python,
};

/** HTML: each word of the language in an element with its class. */
export function highlighted(text: string, language: string): string {
  const grammar = grammars[language];
  if (grammar === undefined) return escapeText(text);
  const words = new RegExp(grammar.map(([, { source }]) => `(${source})`).join("|"), "gm");
  let html = "";
  let at = 0;
  for (const match of text.matchAll(words)) {
    const [kind] = grammar[match.slice(1).findIndex((group) => group !== undefined)]!;
    html += `${escapeText(text.slice(at, match.index))}<span class="${kind}">${escapeText(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeText(text.slice(at));
}

export const escapeText = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
