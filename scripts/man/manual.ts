// Manual: every manual page that is installed, by its file: section 1 from the rows of the command line, 2 from
// docs/man (which `npm run man` makes of the rows of the system calls), 5 and 7 from pages of docs/.
//
// MANUAL-1  Every command, every word above commands and every system call has its page.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { syscalls, type SyscallName } from "@aos/protocol";
import { firstExamples, nouns, commands } from "../../cli/src/commands.ts";
import type { CommandRow } from "../../cli/src/command.ts";
import { commandShape, helpOption, namesOf } from "../../cli/src/line/shape.ts";
import { readManifest, repository } from "../package/contents.ts";
import { commandOutput } from "./command-output.ts";
import { definition, roffPage, type RoffTitle } from "./roff.ts";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** `man1/aos-run.1` and its text. */
export function manualPages(): Map<string, string> {
  const pages = new Map<string, string>();
  const { version } = readManifest("");
  const add = (title: Omit<RoffTitle, "version" | "manual">, markdown: string) =>
    pages.set(
      `man${title.section}/${title.name}.${title.section}`,
      roffPage({ ...title, version, manual: manuals[title.section]! }, markdown),
    );
  add({ name: "aos", section: 1, summary: "command line of Agent OS" }, firstPage());
  for (const row of commands)
    add(
      { name: pageOf(namesOf(row)), section: 1, summary: summaryOf(row.summary) },
      commandPage(row),
    );
  for (const [noun, summary] of Object.entries(nouns))
    if (!pages.has(`man1/${pageOf([noun])}.1`))
      add({ name: pageOf([noun]), section: 1, summary: summaryOf(summary) }, nounPage(noun));
  for (const name of Object.keys(syscalls) as SyscallName[])
    add(
      { name: pageOf([name]), section: 2, summary: summaryOf(syscalls[name].summary) },
      callPage(read(`docs/man/${name}.md`)),
    );
  add(
    { name: "aos-syscalls", section: 2, summary: "system calls of Agent OS" },
    withoutTitle(read("docs/man/README.md")),
  );
  add(
    { name: "agent.yaml", section: 5, summary: "manifest of an agent of Agent OS" },
    `${withoutTitle(read("docs/agent-yaml.md"))}\n\n## Fields\n\n${withoutTitle(read("docs/man/agent-yaml.md"))}`,
  );
  add(
    { name: "aos-config.yaml", section: 5, summary: "configuration of the daemon of Agent OS" },
    `${withoutTitle(read("docs/configuration.md"))}\n\n## Settings\n\n${withoutTitle(read("docs/man/config-yaml.md"))}`,
  );
  add({ name: "agent-os", section: 7, summary: "operating system for AI agents" }, overview());
  return pages;
}

const manuals: Readonly<Record<number, string>> = {
  1: "User Commands",
  2: "System Calls of Agent OS",
  5: "File Formats",
  7: "Agent OS",
};

const pageOf = (names: readonly string[]): string => ["aos", ...names].join("-");

/** As whatis(1) has it: no capital, no full stop. */
const summaryOf = (text: string): string =>
  (/^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text).replace(
    /\.$/,
    "",
  );

const withoutTitle = (markdown: string): string => markdown.replace(/^# .*\n/, "## Description\n");

/** Its name is said by the manual itself. */
const callPage = (markdown: string): string =>
  markdown
    .replace(/^# .*\n/, "")
    .replace(/^## Name\n+.*\n/m, "")
    .replaceAll(/\[all calls\]\(README\.md\)/g, "**aos-syscalls**(2)")
    .replaceAll(
      /\[(\w+)\]\((\w+)\.md\)/g,
      (_, words: string, name: string) => `**aos-${words === name ? name : words}**(2)`,
    );

const examplesOf = (examples: readonly string[]): string =>
  `## Examples\n\n\`\`\`\n${examples.join("\n")}\n\`\`\``;

const optionsOf = (rows: readonly (readonly [flags: string, what: string])[]): string =>
  `## Options\n\n${rows.map(([flags, what]) => definition(`\`${flags}\``, what)).join("\n\n")}`;

const below = (names: readonly string[]): CommandRow[] =>
  commands.filter((row) => {
    const own = namesOf(row);
    return own.length > names.length && names.every((name, at) => own[at] === name);
  });

const listOf = (rows: readonly CommandRow[]): string =>
  rows.map((row) => definition(`**${pageOf(namesOf(row))}**(1)`, row.summary)).join("\n\n");

const SEE_ALSO =
  "## See also\n\n**aos**(1), **aos-syscalls**(2), **agent.yaml**(5), **aos-config.yaml**(5), **agent-os**(7)";

function commandPage(row: CommandRow): string {
  const { names, options } = commandShape(row);
  const more = below(names);
  return [
    `## Synopsis\n\n\`aos ${row.usage.replace(names.join(" "), `${names.join(" ")} [options]`)}\``,
    `## Description\n\n${[row.summary, row.description ?? ""].join(" ").trim()}`,
    optionsOf([...options.map(({ flags, what }) => [flags, what] as const), helpOption]),
    `## Output\n\nWith \`-o json\`: ${commandOutput[names.join(" ")]}.`,
    ...(more.length === 0 ? [] : [`## Commands\n\n${listOf(more)}`]),
    examplesOf(row.examples),
    SEE_ALSO,
  ].join("\n\n");
}

function nounPage(noun: string): string {
  const rows = below([noun]);
  return [
    `## Synopsis\n\n\`aos ${noun} COMMAND [options]\``,
    `## Description\n\n${nouns[noun]}`,
    `## Commands\n\n${listOf(rows)}`,
    examplesOf(rows.flatMap(({ examples }) => examples.slice(0, 1))),
    SEE_ALSO,
  ].join("\n\n");
}

function firstPage(): string {
  return [
    "## Synopsis\n\n`aos COMMAND [options]`",
    "## Description\n\nStarts, watches and stops agents, answers their questions, and shows what they did. Tables are for people; `-o json` and `-o yaml` are for programs. `aos COMMAND --help` has the options of a command.",
    `## Commands\n\n${listOf(commands)}`,
    optionsOf([["-V, --version", "print the version"], helpOption]),
    "## Exit status\n\n0 success; 1 failed; 2 bad input; 64 budget; 65 rate limited; 66 timeout; 67 queue full; 68 spend velocity; 96 refused by policy; 97 context overflow; 98 upstream failure; 100 lease expired; 101 declined for low confidence; 102 answered with low confidence; 130 interrupted; 137 killed.",
    "## Environment\n\n`AOS_HOME` is the folder of the daemon, `AOS_SOCKET` its socket, `AOS_URL` and `AOS_TOKEN` a daemon elsewhere; **aos-config.yaml**(5) has all.",
    examplesOf(firstExamples),
    SEE_ALSO,
  ].join("\n\n");
}

/** What it is and how it works: the beginning of the README and the rules of ARCHITECTURE.md. */
function overview(): string {
  const [, first = ""] = read("README.md").split("\n\n");
  const rules = sectionOf(read("ARCHITECTURE.md"), "Four rules");
  const pages = readdirSync(join(repository, "docs"))
    .filter((name) => /^[a-z].*\.md$/.test(name))
    .toSorted();
  return [
    `## Description\n\n${first}`,
    `## Four rules\n\n${rules.trim()}`,
    "## Files\n\n" +
      [
        ["`/etc/agent-os/config.yaml`", "Settings of the system's daemon; **aos-config.yaml**(5)."],
        ["`/etc/agent-os/environment`", "Variables of the system's daemon."],
        ["`/var/lib/aos`", "Home of the system's daemon: database, signed log, keys."],
        ["`/run/aos/aos.sock`", "Its socket, for members of the group `aos-operators`."],
        ["`~/.aos`", "Home of a daemon that a user starts with `aos up`."],
      ]
        .map(([path, what]) => definition(path!, what!))
        .join("\n\n"),
    `## Documents\n\nIn /usr/share/doc/agent-os/docs: ${pages.map((name) => `\`${name}\``).join(", ")}.`,
    SEE_ALSO,
  ].join("\n\n");
}

function sectionOf(markdown: string, title: string): string {
  const found = markdown.split(/^## /m).find((part) => part.startsWith(`${title}\n`));
  if (found === undefined) throw new Error(`no section ${title}`);
  return found.slice(title.length);
}
