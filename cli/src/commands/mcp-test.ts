import type { Command } from "../command.ts";
import { table } from "../table.ts";

const command: Command = async ({ args, client, out }) => {
  const report = await client.testMcpServer({ name: args[0] ?? "", cwd: process.cwd() });
  await out.data(report, () =>
    table(
      ["STEP", "", "MS", "WHAT WAS FOUND"],
      report.steps.map(({ step, ok, detail, ms }) => [
        step,
        ok ? "ok" : "failed",
        String(ms),
        detail,
      ]),
    ),
  );
  return report.ok ? 0 : 1;
};

export default command;
