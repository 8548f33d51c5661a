import { resolve } from "node:path";
import type { Command } from "../command.ts";
import { runOffline } from "../offline.ts";
import { table } from "../table.ts";

const command: Command = async ({ args, out, endpoint }) => {
  const file = args[0];
  const report = await runOffline(
    endpoint,
    {
      do: "import",
      ...(file === undefined ? {} : { file: resolve(file) }),
    },
    out,
  );
  if (file !== undefined)
    out.note(`signed by ${report.signer ?? "nobody"}: compare that with what its sender says`);
  await out.data(file === undefined ? report.runs : report, () =>
    table(
      ["PID", "AGENT", "STATE", "REPLAY", "IMPORTED"],
      report.runs.map((run) => [run.pid, run.agent, run.state, run.replay, run.importedAt ?? ""]),
    ),
  );
};

export default command;
