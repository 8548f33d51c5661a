// Render: man pages from the rows of protocol/src/syscalls.ts and the words in this folder.

import { failures, syscalls, type FailureCode, type SyscallName } from "@aos/protocol";
import { filePages } from "./files.ts";
import { otherPages } from "./others.ts";
import { outsidePages } from "./outside.ts";
import { ownPages } from "./own.ts";
import type { Page, Pages } from "./page.ts";

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

/** What travels on the wire, which has names where the method has places. */
function argumentsOf(name: SyscallName): string {
  const schema = syscalls[name].args.toJSONSchema({ unrepresentable: "any" }) as Schema;
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
  const errors = everywhere.map((code) => [`\`${code}\``, failures[code].meaning]);
  return sections([
    ["# System calls", MADE],
    [
      "Everything that a program can do is a system call. Each call passes the gate and writes one record to the journal (two for an external effect and for `request`; none for `handle`, `mask` and `exit`, which are about the program and not the world). TypeScript programs call methods of `sys`; programs in other languages send the same names over [the syscall protocol](../syscall-protocol.md).",
      table(["call", "also known as", "what it does"], rows),
    ],
    [
      "## Errors of every call",
      "A call that fails throws `SysError` with `code`, `message`, often a `hint` that says what would have made it succeed, and `retryAfter` in milliseconds where waiting helps.",
      table(["code", "meaning"], errors),
    ],
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const bullets = (items: readonly string[]): string => items.map((item) => `- ${item}`).join("\n");

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
