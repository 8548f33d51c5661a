import { existsSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "@aos/protocol/words";
import { colors } from "../colors.ts";
import type { Command } from "../command.ts";
import { readFile } from "../read-file.ts";
import { table } from "../table.ts";

const OF_PROJECT = join(".agents", "policy.yaml");

const command: Command = async ({ args, client, out, endpoint }) => {
  const usual = existsSync(OF_PROJECT) ? OF_PROJECT : join(endpoint.home, "policy.yaml");
  const file = args[0] ?? usual;
  const report = await client.testPolicy({
    policy: readFile(file),
    tests: readFile(testsOf(file)),
  });
  await out.data(report, () =>
    table(
      ["", "CASE", "EXPECTED", "GOT", "RULE"],
      report.cases.map(({ ok, name, expected, got }) => [
        ok ? "ok" : colors.red("no"),
        name,
        [expected.effect, ...(expected.rule === undefined ? [] : [expected.rule])].join(" by "),
        got.effect,
        got.rule,
      ]),
    ),
  );
  const failed = report.cases.filter(({ ok }) => !ok).length;
  out.note(`${report.cases.length - failed} of ${report.cases.length} cases are as they should be`);
  return report.ok ? exitCodes.success : exitCodes.failed;
};

export default command;

/** policy.yaml → policy.test.yaml, security.md → security.test.yaml */
const testsOf = (file: string): string => file.replace(/(\.[^./]+)?$/, ".test.yaml");
