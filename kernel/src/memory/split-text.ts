// Split text: documents by headings and paragraphs, source code by declarations. A section keeps the headings above it,
// a declaration the comment before it.
//
// SPLIT-1  Every line of the text is in exactly one passage, in order.

import type { Passage } from "./content.ts";

/** In characters: a passage that is longer says more than one thing. */
const LONG_SECTION = 1600;
const LONG_DECLARATION = 3000;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
const FENCE = /^\s*(?:```|~~~)/;
const DECLARATION =
  /^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:public\s+|private\s+|static\s+)*(?:async\s+)?(?:function\*?|class|interface|type|enum|const|let|var|def|fn|func|struct|impl|trait|module|namespace)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#|--|@)/;
const MEMBER =
  /^\s+(?:async\s+|static\s+|readonly\s+|get\s+|set\s+)*#?([\p{L}_$][\p{L}\p{N}_$]*)\s*(?:\(|[:=]\s*(?:async\s*)?\()/gmu;

export function splitDocument(text: string): Passage[] {
  const passages: Passage[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let start = 1;
  let isFenced = false;
  const flush = (next: number) => {
    const body = lines.join("\n").trim();
    if (body !== "") passages.push(...pieces(body, path.filter(Boolean).join(" › "), start));
    lines = [];
    start = next;
  };
  for (const [index, line] of text.split("\n").entries()) {
    if (FENCE.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : HEADING.exec(line);
    if (heading !== null) {
      flush(index + 1);
      path.length = heading[1]!.length - 1;
      path[heading[1]!.length - 1] = heading[2]!;
    }
    lines.push(line);
  }
  flush(0);
  return passages;
}

/** A long section in pieces of whole paragraphs, or of whole lines where a paragraph is long. */
function pieces(body: string, head: string, line: number): Passage[] {
  const found: Passage[] = [];
  let text = "";
  let at = line;
  let from = line;
  for (const part of body.split(/(?<=\n\n)|(?<=\n)(?=\||- |\* |\d+\. )/)) {
    if (text !== "" && text.length + part.length > LONG_SECTION) {
      found.push({ text: text.trim(), head, line: from });
      text = "";
      from = at;
    }
    text += part;
    at += part.split("\n").length - 1;
  }
  if (text.trim() !== "") found.push({ text: text.trim(), head, line: from });
  return found;
}

export function splitCode(text: string): Passage[] {
  const lines = text.split("\n");
  const starts = declarationStarts(lines);
  const passages: Passage[] = [];
  for (const [index, { at, name }] of starts.entries()) {
    const body = lines
      .slice(at, starts[index + 1]?.at)
      .join("\n")
      .trimEnd();
    if (body.trim() === "") continue;
    const members = [...body.matchAll(MEMBER)].map(([, member]) => member!);
    const head = [name, ...new Set(members)].filter(Boolean).join(" ");
    for (let from = 0; from < body.length; from += LONG_DECLARATION)
      passages.push({
        text: body.slice(from, from + LONG_DECLARATION),
        head,
        line: at + 1 + (from === 0 ? 0 : body.slice(0, from).split("\n").length - 1),
      });
  }
  return passages.length === 0 ? [{ text, head: "", line: 1 }] : passages;
}

/** Where the passages begin: the head of the file, and each declaration with the comment before it. */
function declarationStarts(lines: readonly string[]): { at: number; name: string }[] {
  const starts = [{ at: 0, name: "" }];
  for (const [index, line] of lines.entries()) {
    const name = DECLARATION.exec(line)?.[1];
    if (name === undefined) continue;
    let at = index;
    while (at > 0 && COMMENT.test(lines[at - 1]!)) at--;
    const last = starts.at(-1)!;
    // The first declaration after a file's header comment does not take the header with it.
    if (at <= last.at) at = index;
    if (at > last.at) starts.push({ at, name });
    else last.name ||= name;
  }
  return starts;
}
