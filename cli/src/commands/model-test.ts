import { readDurationMs } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { startProgress } from "../progress.ts";
import { formatModelTest } from "../format-model.ts";

const command: Command = async ({ args, options, client, out }) => {
  const [model = ""] = args;
  const timeout = options.text("timeout");
  const waiting = startProgress(out, `testing ${model}`);
  const report = await client
    .testModel({ model, ...(timeout === undefined ? {} : { timeoutMs: readDurationMs(timeout) }) })
    .finally(() => waiting.stop());
  await out.data(report, () => formatModelTest(report));
  return report.ok ? 0 : 1;
};

export default command;
