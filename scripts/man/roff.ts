// Roff: a page of Markdown as the text of a manual page, for man(1).
//
//   roffPage({ name: "aos-read", section: 2, summary: "read a file", ... }, markdown)
//
// It takes what the pages of docs/ are written in: headings, paragraphs, lists, tables, fenced code, and `code`,
// **bold**, _italic_ and [links](to.md) within a line. Tables are set by tbl(1).
//
// ROFF-1  Nothing that a page says is taken for a command of the formatter: a backslash is printed, and no line of
//     text begins with a dot or a quote.

export interface RoffTitle {
  readonly name: string;
  readonly section: number;
  /** What whatis(1) and apropos(1) say of it. */
  readonly summary: string;
  readonly version: string;
  readonly manual: string;
}

export function roffPage(title: RoffTitle, markdown: string): string {
  const { name, section, summary, version, manual } = title;
  const head = [
    String.raw`'\" t`,
    `.TH "${escaped(name.toUpperCase())}" ${section} "" "Agent OS ${version}" "${manual}"`,
    ".ad l",
    ".if n .pl 9999v", // a terminal has no pages, and tbl warns of a cell that crosses the end of one
    ".SH NAME",
    String.raw`${escaped(name)} \- ${escaped(summary)}`,
  ];
  return `${[...head, ...blocksOf(markdown)].join("\n")}\n`;
}

/** A section of a page that was written as rows, not as Markdown. */
export const definition = (term: string, what: string): string => `- ${term}\n\n  ${what}`;

function blocksOf(markdown: string): string[] {
  const lines = markdown.replaceAll(/<!--.*?-->/gs, "").split("\n");
  const out: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    if (line.trim() === "") at++;
    else if (heading !== null) {
      const macro = heading[1]!.length <= 2 ? ".SH" : ".SS";
      const words = plain(heading[2]!);
      out.push(`${macro} "${escaped(macro === ".SH" ? words.toUpperCase() : words)}"`);
      at++;
    } else if (line.startsWith("```")) at = code(lines, at, out);
    else if (line.startsWith("|")) at = table(lines, at, out);
    else if (/^(?:- |\d+\. )/.test(line)) at = item(lines, at, out);
    else at = paragraph(lines, at, out);
  }
  return out;
}

function code(lines: readonly string[], from: number, out: string[]): number {
  const end = lines.findIndex((line, at) => at > from && line.startsWith("```"));
  const last = end === -1 ? lines.length : end;
  out.push(
    ".PP",
    ".RS 4",
    ".EX",
    ...lines.slice(from + 1, last).map((line) => atStart(verbatim(line))),
    ".EE",
    ".RE",
  );
  return last + 1;
}

/** In a cell tbl takes roff; T{ and T} keep it together however long it is. */
function table(lines: readonly string[], from: number, out: string[]): number {
  let end = from;
  while (lines[end]?.startsWith("|")) end++;
  const [head = [], , ...rows] = lines.slice(from, end).map(cellsOf);
  const widths = head.map((_, nth) =>
    Math.max(...[head, ...rows].map((cells) => plain(cells[nth] ?? "").length)),
  );
  // The last column, and every other that is long, takes what is left of the line.
  const format = widths.map((width, nth) =>
    width > 24 ? `lx` : nth === widths.length - 1 && width > 16 ? "lx" : "l",
  );
  const cell = (text: string) => `T{\n${atStart(breakable(inline(text))) || String.raw`\&`}\nT}`;
  out.push(".PP", ".TS", "tab(\t);", head.map(() => "lB").join(" "), `${format.join(" ")}.`);
  out.push(head.map((text) => inline(text)).join("\t"));
  for (const row of rows) out.push(head.map((_, nth) => cell(row[nth] ?? "")).join("\t"));
  out.push(".TE");
  return end;
}

/** A long word may end a line after a dot, a slash, a comma or a colon: a column is narrow. */
const breakable = (text: string): string =>
  text.replaceAll(/\S{16,}/g, (word) => word.replaceAll(/([./,:_])(?=\w)/g, String.raw`$1\:`));

const cellsOf = (line: string): string[] =>
  line
    .replaceAll(String.raw`\|`, "\u0000")
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\u0000", "|"));

function item(lines: readonly string[], from: number, out: string[]): number {
  const [, mark = "-", first = ""] = /^(- |\d+\. )(.*)$/.exec(lines[from]!) ?? [];
  const number = /^\d+\./.exec(mark)?.[0];
  let at = from + 1;
  const text = [first];
  while (at < lines.length && /^ {2,}\S/.test(lines[at]!)) text.push(lines[at++]!.trim());
  // A paragraph below the item, further in, is what the item means.
  const below: string[] = [];
  if (lines[at]?.trim() === "" && /^ {2,}\S/.test(lines[at + 1] ?? "")) {
    at++;
    while (at < lines.length && /^ {2,}\S/.test(lines[at]!)) below.push(lines[at++]!.trim());
  }
  if (below.length > 0)
    out.push(".TP", atStart(inline(text.join(" "))), atStart(inline(below.join(" "))));
  else
    out.push(
      number === undefined ? String.raw`.IP \(bu 2` : `.IP ${number} 4`,
      atStart(inline(text.join(" "))),
    );
  return at;
}

function paragraph(lines: readonly string[], from: number, out: string[]): number {
  let end = from;
  while (end < lines.length && !/^(?:\s*$|#{1,6} |```|\||- |\d+\. )/.test(lines[end]!)) end++;
  const last = Math.max(end, from + 1);
  const text = lines.slice(from, last).join(" ");
  if (!/^!\[[^\]]*\]\([^)]*\)$/.test(text.trim())) out.push(".PP", atStart(inline(text)));
  return last;
}

const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)]*)\)/g;

/** As it reads without any mark. */
const plain = (text: string): string =>
  text
    .replaceAll(LINK, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\b_|_\b/g, "");

function inline(text: string): string {
  // Code first: what is in it is said as it is.
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.startsWith("`") && part.endsWith("`") && part.length > 2
        ? String.raw`\fB${verbatim(part.slice(1, -1))}\fR`
        : escaped(part.replaceAll(LINK, "$1").replaceAll(String.raw`\|`, "|"))
            .replaceAll(/\*\*([^*]+)\*\*/g, String.raw`\fB$1\fR`)
            .replaceAll(/(^|[\s(])_([^_]+)_(?=[\s).,:;]|$)/g, String.raw`$1\fI$2\fR`),
    )
    .join("")
    .replaceAll(/\[((?:[^[\]])*)\]\([^)]*\)/g, "$1");
}

/** ROFF-1. */
const escaped = (text: string): string =>
  text.replaceAll("\\", String.raw`\e`).replaceAll('"', String.raw`\(dq`);
const verbatim = (text: string): string =>
  escaped(text)
    .replaceAll("-", String.raw`\-`)
    .replaceAll("'", String.raw`\(aq`)
    .replaceAll("^", String.raw`\(ha`)
    .replaceAll("~", String.raw`\(ti`)
    .replaceAll("`", String.raw`\(ga`);
const atStart = (text: string): string => text.replace(/^(?=[.'])/, String.raw`\&`);
