import { resolve } from "node:path";
import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readDurationOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const [pid, file] = args.length > 1 ? args : [undefined, args[0]];
  const agent = options.text("agent");
  const since = readDurationOption(options.text("since"), "--since");
  if (file === undefined || (pid === undefined && agent === undefined && since === undefined))
    throw new SysError("EINVAL", "`aos export` needs runs and a file", {
      hint: "aos export PID FILE, or aos export --agent NAME FILE, or aos export --since 7d FILE",
    });
  const report = await client.exportRuns({
    file: resolve(file),
    ...(pid === undefined ? {} : { pid }),
    ...(agent === undefined ? {} : { agent }),
    ...(since === undefined ? {} : { since: new Date(Date.now() - since).toISOString() }),
  });
  await out.data(
    report,
    () => `wrote ${report.file}: ${report.runs} runs, ${report.records} records`,
  );
};

export default command;
