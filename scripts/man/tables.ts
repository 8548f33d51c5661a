// Tables: pages that are one table each, from the rows of the code: the built-in tools, the metrics of a daemon, the
// actions of security.md, and the fields of agent.yaml and config.yaml.

import { createTools } from "@aos/drivers";
import { securityActions } from "../../kernel/src/policy-formats/security-actions.ts";
import { fieldPages } from "./fields.ts";
import { knownMetrics } from "./known-metrics.ts";

/** The pages, by file name. Metrics are known to a running kernel only. */
export async function renderTables(): Promise<Map<string, string>> {
  return new Map([
    ["tools.md", toolsPage()],
    ["metrics.md", await metricsPage()],
    ["security-actions.md", actionsPage()],
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
