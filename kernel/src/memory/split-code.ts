// Split code: source code by its symbols. A declaration is a passage with the comment before it and the names that it
// declares; a long class, interface or module is one for its head and one for each member, `Class.member`. A scanner
// knows strings, comments and braces, or indentation where a language has no braces; it is no compiler, and what it does
// not understand is split at line ends.
//
//   splitCode(text, "src/a.ts")     [{ text: "…", head: "Kernel.boot", line: 12 }]
//
// SPLIT-CODE-1  Every line is in exactly one passage, in order, but for blank lines between two.
// SPLIT-CODE-2  The time is linear in the length of the text, whatever is in it.

import type { Passage } from "./content.ts";
import { cutLong } from "./cut-long.ts";

/** In characters: a container that is longer is split by its members. */
const LONG_CONTAINER = 1200;
/** Members that are shorter share a passage with the next. */
const SHORT_MEMBER = 300;
/** A longer line is data, and declares nothing. */
const LONGEST_LINE = 400;
const INDENTED = /\.(?:py|rb|lua|sh|bash|sql)$/i;
const HASH_COMMENTS = /\.(?:py|rb|sh|bash|php)$/i;

const MODIFIERS =
  "(?:(?:export|default|declare|abstract|public|private|protected|internal|static|final|sealed|open|override|async|inline|virtual|pub(?:\\([a-z]+\\))?|unsafe|extern|const|suspend|data|local|readonly|get|set) +)*";
const DECLARATION = new RegExp(
  `^${MODIFIERS}(function\\*?|class|interface|type|enum|const|let|var|val|def|fn|func|fun|struct|impl|trait|module|namespace|object|protocol|extension|record|union|create(?: or replace)? (?:table|view|function|procedure|index)) +(?:\\([^)]{0,100}\\) *)?(?:<[^>]{0,100}> *)?([\\p{L}_$][\\p{L}\\p{N}_$]*)`,
  "iu",
);
const CONTAINERS =
  /^(?:class|interface|struct|impl|trait|module|namespace|object|protocol|extension|enum)$/i;
/** `int main(`, `public void run(`: a name before a parenthesis where something stands before it. */
const C_FUNCTION = /^(?:[\w:*&<>[\],]+ +){1,6}[*&]{0,2}([A-Za-z_]\w*) *\([^;{]*(?:\{.*)?$/;
const MEMBER = new RegExp(
  `^[ \\t]+${MODIFIERS}(?:(?:fn|fun|func|def|function|sub) +)?#?([\\p{L}_$][\\p{L}\\p{N}_$]*)\\??(?: *<[^>]{0,60}>)? *(?:\\(|[:=] *(?:async *)?\\(|= *(?:async +)?[\\w$]+ *=>)`,
  "u",
);
const C_MEMBER = /^[ \t]+(?:[\w:*&<>[\],?]+ +){1,6}[*&]{0,2}([A-Za-z_]\w*) *\([^;{]*(?:\{.*)?$/;
const INDENTED_MEMBER =
  /^[ \t]+(?:async +)?(?:def|function|sub|class|local function) +(?:self\.)?([\p{L}_][\p{L}\p{N}_]*)/u;
const NO_MEMBER =
  /^(?:if|for|while|switch|return|catch|await|yield|throw|else|do|try|new|typeof|assert|elif|with|print)$/;
const COMMENT = /^[ \t]*(?:\/\/|\/\*|\*|#|--|@)/;

interface Symbol {
  /** The line of its comment, and after its last. */
  readonly from: number;
  to: number;
  readonly name: string;
  readonly isContainer: boolean;
}

export function splitCode(text: string, path = ""): Passage[] {
  const lines = text.split("\n");
  const isIndented = INDENTED.test(path);
  const depths = isIndented ? indentDepths(lines) : braceDepths(lines, HASH_COMMENTS.test(path));
  const code = { lines, depths, isIndented };
  const symbols = symbolsOf(lines, 0, lines.length, (at) => topSymbol(code, at));
  const passages = symbols.flatMap((symbol) => passagesOf(code, symbol));
  return passages.length === 0
    ? [{ text: text.slice(0, LONG_DECLARATION), head: "", line: 1 }]
    : passages;
}

/** The head of the file, and each symbol with the comment before it. */
function symbolsOf(
  lines: readonly string[],
  from: number,
  to: number,
  found: (at: number) => Omit<Symbol, "from" | "to"> | undefined,
): Symbol[] {
  const symbols: Symbol[] = [{ from, to, name: "", isContainer: false }];
  for (let at = from; at < to; at++) {
    const symbol = found(at);
    if (symbol === undefined) continue;
    const last = symbols.at(-1)!;
    const first = withComment(lines, at, last.from);
    if (first === last.from && last.name === "") {
      symbols[symbols.length - 1] = { ...symbol, from: first, to };
      continue;
    }
    last.to = first;
    symbols.push({ ...symbol, from: first, to });
  }
  return symbols;
}

/** The comment right before a line; the header of a file, which begins it, stays apart where it is long. */
function withComment(lines: readonly string[], at: number, least: number): number {
  let first = at;
  while (first > least && COMMENT.test(lines[first - 1]!)) first--;
  return first === 0 && at - first > 3 ? at : first;
}

interface Code {
  readonly lines: readonly string[];
  readonly depths: readonly number[];
  readonly isIndented: boolean;
}

function topSymbol({ lines, depths, isIndented }: Code, at: number) {
  const line = lines[at]!;
  if (depths[at] !== 0 || line.length > LONGEST_LINE) return undefined;
  const declared = DECLARATION.exec(line);
  if (declared !== null) return { name: declared[2]!, isContainer: CONTAINERS.test(declared[1]!) };
  const named = isIndented ? undefined : C_FUNCTION.exec(line)?.[1];
  return named === undefined || NO_MEMBER.test(named)
    ? undefined
    : { name: named, isContainer: false };
}

function memberAt({ lines, depths, isIndented }: Code, at: number) {
  const line = lines[at]!;
  if (depths[at] !== 1 || line.length > LONGEST_LINE) return undefined;
  const name = isIndented
    ? INDENTED_MEMBER.exec(line)?.[1]
    : (MEMBER.exec(line)?.[1] ?? C_MEMBER.exec(line)?.[1]);
  return name === undefined || NO_MEMBER.test(name) ? undefined : { name, isContainer: false };
}

function passagesOf(code: Code, symbol: Symbol): Passage[] {
  const { lines } = code;
  const { from, to, name, isContainer } = symbol;
  const whole = lines.slice(from, to).join("\n").trimEnd();
  if (whole.trim() === "") return [];
  if (!isContainer || whole.length <= LONG_CONTAINER) {
    const members = new Set<string>();
    for (let at = isContainer ? from : to; at < to; at++) {
      const member = memberAt(code, at)?.name;
      if (member !== undefined) members.add(member);
    }
    return piecesOf(whole, [name, ...members].filter(Boolean).join(" "), from);
  }
  const members = symbolsOf(lines, from, to, (at) => memberAt(code, at));
  return together(lines, members).flatMap(({ first, last, names }) =>
    piecesOf(
      lines.slice(first, last).join("\n").trimEnd(),
      names.length === 0 ? name : [...new Set(names)].map((one) => `${name}.${one}`).join(" "),
      first,
    ),
  );
}

/** Short members share a passage with those that follow. */
function together(lines: readonly string[], members: readonly Symbol[]) {
  const groups: { first: number; last: number; names: string[]; length: number }[] = [];
  for (const { from, to, name } of members) {
    const length = lines.slice(from, to).reduce((sum, line) => sum + line.length + 1, 0);
    const names = name === "" ? [] : [name];
    const before = groups.at(-1);
    if (before !== undefined && before.length + length <= SHORT_MEMBER && names.length > 0) {
      before.last = to;
      before.length += length;
      before.names.push(name);
    } else groups.push({ first: from, last: to, names, length });
  }
  return groups;
}

const LONG_DECLARATION = 3000;

function piecesOf(text: string, head: string, at: number): Passage[] {
  return cutLong(text, LONG_DECLARATION).flatMap(({ text: piece, line }) =>
    piece.trim() === "" ? [] : [{ text: piece, head, line: at + line }],
  );
}

/** The depth of a line that begins in a comment or a string. */
const INSIDE = 99;

/** By indentation: no symbol is deeper than a member. Texts in three quotes are no code. */
function indentDepths(lines: readonly string[]): number[] {
  const widths = lines.map((line) => (line.trim() === "" ? 0 : line.search(/\S/)));
  const unit = widths.reduce((least, width) => (width > 0 && width < least ? width : least), 8);
  let quote = "";
  return lines.map((line, at) => {
    const depth = quote === "" ? Math.ceil(widths[at]! / unit) : INSIDE;
    for (let from = 0; ;) {
      const next = quote === "" ? firstQuote(line, from) : line.indexOf(quote, from);
      if (next < 0) return depth;
      quote = quote === "" ? line.slice(next, next + 3) : "";
      from = next + 3;
    }
  });
}

function firstQuote(line: string, from: number): number {
  const places = ['"""', "'''"].map((sign) => line.indexOf(sign, from)).filter((at) => at >= 0);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** SPLIT-CODE-2. The depth of braces at the beginning of each line, outside strings and comments. */
function braceDepths(lines: readonly string[], hasHash: boolean): number[] {
  const depths: number[] = [];
  /** What ends the string or comment that is open across lines. */
  let open = "";
  let depth = 0;
  for (const line of lines) {
    depths.push(open === "" ? depth : INSIDE);
    let before = "";
    for (let at = 0; at < line.length; at++) {
      const sign = line[at]!;
      if (open !== "") {
        if (sign === "\\") at++;
        else if (line.startsWith(open, at)) {
          at += open.length - 1;
          open = "";
          before = "x";
        }
        continue;
      }
      const two = sign + (line[at + 1] ?? "");
      if (two === "//" || (sign === "#" && hasHash)) break;
      if (two === "/*") {
        open = "*/";
        at++;
      } else if (sign === '"' || sign === "'" || sign === "`") open = sign;
      else if (sign === "/" && "(,=:[!&|?{};".includes(before)) at = afterRegex(line, at);
      else if (sign === "{" || sign === "(" || sign === "[") depth++;
      else if (sign === "}" || sign === ")" || sign === "]") depth = Math.max(0, depth - 1);
      if (sign !== " " && sign !== "\t") before = sign;
    }
    if (open === '"' || open === "'") open = ""; // these end with their line
  }
  return depths;
}

/** Of a regular expression, its last sign; of a division, its own. */
function afterRegex(line: string, from: number): number {
  let isClass = false;
  for (let at = from + 1; at < Math.min(line.length, from + LONGEST_LINE); at++) {
    const sign = line[at];
    if (sign === "\\") at++;
    else if (sign === "[") isClass = true;
    else if (sign === "]") isClass = false;
    else if (sign === "/" && !isClass) return at;
  }
  return from;
}
