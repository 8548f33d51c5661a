// npm run -s dojo -- --traces FILE [-o json]: how many injected calls are executed, how many tasks are
// done and how often a person is asked, with every trace sent through a real kernel. docs/injection.md
// says what is measured and how.

import { parseArgs } from "node:util";
import { configurations, type ConfigurationName } from "./dojo/configurations.ts";
import { measure, type Breach, type Figures } from "./dojo/measure.ts";
import { readTraces, TraceError, type Suite } from "./dojo/traces.ts";

const usage = `usage: npm run -s dojo -- --traces FILE [-o json] [--breaches]

  --traces FILE   tool traces as JSON: suites of tools, user tasks and injections
  -o json         one line of JSON: {"none":{…},"capabilities":{…},"default":{…},"pinned":{…}}
  --breaches      names on stderr each attack that was executed under default and pinned
  --help          this

none            every tool, and nothing is asked
capabilities    only the tools that the task needs, and nothing is asked
default         every tool, the shipped policy, and a person who knows what they wanted
pinned          the same, with one-shot grants pinned by the prompt before anything is read`;

interface Wish {
  readonly file: string;
  readonly asJson: boolean;
  readonly namesBreaches: boolean;
}

function fail(message: string): never {
  console.error(`dojo: ${message}`);
  process.exit(2);
}

function readWish(): Wish {
  try {
    const { values } = parseArgs({
      options: {
        traces: { type: "string" },
        output: { type: "string", short: "o" },
        breaches: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    if (values.traces === undefined) fail(`--traces is missing\n${usage}`);
    if (values.output !== undefined && values.output !== "json")
      fail(`-o ${values.output}: only json is known`);
    const asJson = values.output === "json";
    return { file: values.traces, asJson, namesBreaches: values.breaches };
  } catch (error) {
    return fail(`${(error as Error).message}\n${usage}`);
  }
}

async function readSuites(file: string): Promise<Suite[]> {
  try {
    return await readTraces(file);
  } catch (error) {
    if (error instanceof TraceError) fail(error.message);
    throw error;
  }
}

function showBreaches(name: ConfigurationName, breaches: readonly Breach[]): void {
  if (name !== "default" && name !== "pinned") return;
  for (const { suite, task, injection, tool } of breaches)
    console.error(`${name}: ${suite} ${task} × ${injection}: ${tool} was executed`);
}

function table(results: Readonly<Record<string, Figures>>): string {
  const columns = ["pairs", "enforceable", "executed", "benign_done", "approvals"] as const;
  const line = (first: string, cells: readonly unknown[]) =>
    first.padEnd(14) + cells.map((cell) => String(cell).padStart(13)).join("");
  return [
    line("", columns),
    ...Object.entries(results).map(([name, figures]) =>
      line(
        name,
        columns.map((column) => figures[column]),
      ),
    ),
  ].join("\n");
}

const { file, asJson, namesBreaches } = readWish();
const suites = await readSuites(file);
const results: Record<string, Figures> = {};
for (const name of Object.keys(configurations) as ConfigurationName[]) {
  const { figures, breaches } = await measure(suites, configurations[name], (done, of) => {
    if (done % 250 === 0 || done === of) console.error(`${name}: ${done} of ${of} runs`);
  });
  results[name] = figures;
  if (namesBreaches) showBreaches(name, breaches);
}
console.log(asJson ? JSON.stringify(results) : table(results));
