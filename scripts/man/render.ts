// Render: man pages from the rows of protocol/src/syscalls.ts and the words in this folder.

import { failures, signals, syscalls, type FailureCode, type SyscallName } from "@aos/protocol";
import { filePages } from "./files.ts";
import { otherPages } from "./others.ts";
import { outsidePages } from "./outside.ts";
import { ownPages } from "./own.ts";
import type { Page, Pages } from "./page.ts";
import { wireResults } from "./wire-results.ts";

const pages: Pages<SyscallName> = { ...outsidePages, ...filePages, ...otherPages, ...ownPages };

/** What any call can fail with. */
const everywhere: readonly FailureCode[] = [
  "EACCES",
  "EPOLICY",
  "EDENIED",
  "EINVAL",
  "REPLAY_DIVERGED",
  "EINTERNAL",
];

const MADE = "<!-- Made by `npm run man` from protocol/src/syscalls.ts and scripts/man/. -->";

/** The files of docs/man, by name. */
export function renderAll(): Map<string, string> {
  const names = Object.keys(syscalls) as SyscallName[];
  const files = new Map(names.map((name) => [`${name}.md`, renderPage(name)]));
  return files.set("README.md", renderIndex(names));
}

function renderPage(name: SyscallName): string {
  const page = pages[name];
  const known = page.alsoKnownAs === undefined ? "" : ` Also known as ${page.alsoKnownAs}.`;
  return sections([
    [`# ${name}`, MADE],
    ["## Name", `**${name}**: ${lower(syscalls[name].summary)}${known}`],
    ["## Synopsis", `\`\`\`ts\n${page.synopsis}\n\`\`\``, argumentsOf(name)],
    ["## Description", ...page.description, afterCrash(name)],
    ["## Rights", page.rights === "" ? "None." : page.rights],
    ["## Errors", errorsOf(page)],
    ["## Limits", page.limits.length === 0 ? "None of its own." : bullets(page.limits)],
    [
      "## See also",
      [...page.seeAlso.map((other) => `[${other}](${other}.md)`), "[all calls](README.md)"].join(
        ", ",
      ),
    ],
  ]);
}

const sections = (parts: readonly (readonly string[])[]): string =>
  `${parts.map((part) => part.filter((text) => text !== "").join("\n\n")).join("\n\n")}\n`;

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

const schemaOf = (name: SyscallName): Schema =>
  syscalls[name].args.toJSONSchema({ unrepresentable: "any" }) as Schema;

/** What travels on the wire, which has names where the method has places. */
function argumentsOf(name: SyscallName): string {
  const schema = schemaOf(name);
  const members = Object.entries(schema.properties ?? {});
  if (members.length === 0) return "On the wire: no arguments.";
  const needed = new Set(schema.required);
  // A schema that takes any JSON is not optional for that.
  const rows = members.map(([member, of]) => [
    `\`${member}\``,
    typeOf(of),
    needed.has(member) ? "yes" : "",
  ]);
  return `On the wire:\n\n${table(["argument", "type", "needed"], rows)}`;
}

function typeOf(schema: Schema): string {
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(", ");
  if (schema.type === "array")
    return `list of ${schema.items === undefined ? "any" : typeOf(schema.items)}`;
  return typeof schema.type === "string" ? schema.type : "any JSON";
}

function afterCrash(name: SyscallName): string {
  const { waits } = syscalls[name];
  return waits === null ? "" : `While the call runs, the process waits on \`${waits}\`.`;
}

function errorsOf({ errors }: Page): string {
  const own =
    errors.length === 0
      ? "None of its own."
      : table(
          ["code", "when"],
          errors.map(([code, when]) => [`\`${code}\``, when]),
        );
  return `${own}\n\nAnd [what every call can fail with](README.md#errors-of-every-call).`;
}

function renderIndex(names: readonly SyscallName[]): string {
  const rows = names.map((name) => [
    `[${name}](${name}.md)`,
    pages[name].alsoKnownAs ?? "",
    syscalls[name].summary,
  ]);
  const errors = everywhere.map((code) => `\`${code}\``);
  return sections([
    ["# System calls", MADE],
    [
      "Everything that a program can do is a system call. Each call passes the gate and writes one record to the journal (two for an external effect and for `request`; none for `handle`, `mask` and `exit`, which are about the program and not the world). TypeScript programs call methods of `sys`; programs in other languages send the same names over [the syscall protocol](../syscall-protocol.md).",
      table(["call", "also known as", "what it does"], rows),
    ],
    [
      "## Errors of every call",
      "A call that fails throws `SysError` with `code`, `message`, often a `hint` that says what would have made it succeed, and `retryAfter` in milliseconds where waiting helps.",
      `Any call can fail with ${errors.join(", ")}; [failures](#failures) has their meaning.`,
    ],
    [
      "## Calls on the wire",
      "`?` marks optional arguments; unknown arguments are refused with `EINVAL`. Times are milliseconds since 1970. _Waits_ is what the process is shown to wait on.",
      table(["call", "arguments", "result", "waits"], names.map(wireRow)),
    ],
    [
      "## Failures",
      "Failures are journaled like results: a replay fails in the same way.",
      table(
        ["code", "meaning", "again?"],
        Object.entries(failures).map(([code, { meaning, retry }]) => [
          `\`${code}\``,
          meaning,
          retry,
        ]),
      ),
    ],
    [
      "## Signals",
      "What a signal does to a program that has no handler for it.",
      table(
        ["signal", "default", "can be handled and masked"],
        Object.entries(signals).map(([name, { meaning, maskable }]) => [
          `\`${name}\``,
          meaning,
          maskable ? "yes" : "no",
        ]),
      ),
    ],
  ]);
}

/** Two calls name a file by its path or by an open stream. */
const EITHER: ReadonlySet<SyscallName> = new Set(["read", "write"]);

function wireRow(name: SyscallName): string[] {
  const { properties = {}, required = [] } = schemaOf(name);
  const either = EITHER.has(name) ? ["path", "fd"] : [];
  const needed = new Set(required);
  const others = Object.keys(properties).filter((member) => !either.includes(member));
  const members = [
    ...others.filter((member) => needed.has(member)).map((member) => `\`${member}\``),
    ...others.filter((member) => !needed.has(member)).map((member) => `\`${member}\`?`),
  ];
  const list = [...(either.length > 0 ? ["`path` or `fd`"] : []), ...members].join(", ");
  return [`\`${name}\``, list || "none", wireResults[name], syscalls[name].waits ?? ""];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const bullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
