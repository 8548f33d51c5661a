// Tables: pages that are one table each, from the rows of the code: the built-in tools, the tools that are system calls,
// the metrics of a daemon, the actions of security.md, the default policy, the addresses that are not public, and the
// fields of agent.yaml and config.yaml.

import { createTools } from "@aos/drivers";
import { defaultPolicy } from "@aos/kernel";
import { syscallTools } from "@aos/protocol";
import { ranges } from "../../drivers/src/web/address.ts";
import { securityActions } from "../../kernel/src/policy-formats/security-actions.ts";
import { fieldPages } from "./fields.ts";
import { knownMetrics } from "./known-metrics.ts";

/** The pages, by file name. Metrics are known to a running kernel only. */
export async function renderTables(): Promise<Map<string, string>> {
  return new Map([
    ["tools.md", toolsPage()],
    ["syscall-tools.md", syscallToolsPage()],
    ["metrics.md", await metricsPage()],
    ["security-actions.md", actionsPage()],
    ["default-policy.md", defaultPolicyPage()],
    ["addresses.md", addressesPage()],
    ...fieldPages(),
  ]);
}

const toolsPage = (): string =>
  tablePage(
    "Built-in tools",
    "drivers/src/tools/",
    "[tools.md](../tools.md) describes tools; `aos tool show NAME` prints the arguments of one.",
    ["tool", "effect", "what it does"],
    // A tool is described before anything that it runs with is there.
    createTools(undefined as never).map(({ name, effect, description }) => [
      `\`${name}\``,
      effect,
      firstSentence(description),
    ]),
  );

const syscallToolsPage = (): string =>
  tablePage(
    "Tools that are system calls",
    "protocol/src/syscall-tools.ts",
    "[tools.md](../tools.md#tools-that-are-system-calls) describes them. Parent and child need no `message` capability for each other, and a parent none to wait for its child.",
    ["tool", "system call", "on these paths", "needs", "what it does"],
    syscallTools.map(({ name, call, within, needs, description }) => [
      code(name),
      code(call),
      within.map(code).join(", "),
      needs.map(code).join(", "),
      firstSentence(description),
    ]),
  );

const defaultPolicyPage = (): string =>
  tablePage(
    "The default policy",
    "kernel/src/policy-formats/default-policy.ts",
    "The rules of the layer `kernel`; [policy.md](../policy.md#the-default-policy) describes it.",
    ["rule", "verdict", "of", "explanation"],
    defaultPolicy.rules.map((rule) => {
      const verdict = (["allow", "deny", "ask", "kill"] as const).find((one) => one in rule)!;
      const of = (rule as unknown as Readonly<Record<string, string | readonly string[]>>)[
        verdict
      ]!;
      return [code(rule.id), verdict, [of].flat().map(code).join(", "), rule.say ?? ""];
    }),
  );

const addressesPage = (): string =>
  tablePage(
    "Addresses that are not public",
    "drivers/src/web/address.ts",
    "[resources.md](../resources.md#the-web) says what they need. The first match counts.",
    ["range", "what"],
    ranges.map(([range, what]) => [code(range), what]),
  );

const code = (text: string): string => `\`${text}\``;

const metricsPage = async (): Promise<string> =>
  tablePage(
    "Metrics",
    "daemon/src/metrics/",
    "What `GET /metrics` serves. [telemetry.md](../telemetry.md) describes how to collect it.",
    ["name", "type", "labels", "meaning"],
    (await knownMetrics()).map(({ name, type, labels, help }) => [
      `\`${name}\``,
      type,
      labels.join(", "),
      help.replace(/\.$/, ""),
    ]),
  );

const actionsPage = (): string =>
  tablePage(
    "Actions of security.md",
    "kernel/src/policy-formats/security-actions.ts",
    "[policy.md](../policy.md#securitymd) describes the file. Any other action is a tool's name or a pattern of names.",
    ["action", "means", "by"],
    Object.entries(securityActions).map(([action, row]) => [
      `\`${action}\``,
      row.meaning,
      [
        ...row.selectors.map((selector) => `\`${selector}\``),
        ...("tools" in row ? [`tools ${row.tools.map((tool) => `\`${tool}\``).join(", ")}`] : []),
      ].join(", "),
    ]),
  );

const firstSentence = (text: string): string => /^.*?(?<!e\.g)\.(?=\s|$)/s.exec(text)?.[0] ?? text;

export function tablePage(
  title: string,
  origin: string,
  about: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`).replaceAll("\n", " ")).join(" | ")} |`;
  const table = [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
  const made = `<!-- Made by \`npm run man\` from ${origin}. -->`;
  return `${[`# ${title}`, made, about, table].join("\n\n")}\n`;
}
