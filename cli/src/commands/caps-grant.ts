import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readText } from "../read-input.ts";
import { readDurationOption } from "../read-number.ts";

const command: Command = async ({ args, client, options, out }) => {
  const agent = options.text("agent");
  const given = options.text("token");
  const reason = options.text("reason");
  const expiresInMs = readDurationOption(options.text("expires"), "--expires");
  const pid = agent === undefined ? args[0] : undefined;
  const capabilities = agent === undefined ? args.slice(1) : [...args];
  if (pid === undefined && agent === undefined) {
    throw new SysError("EINVAL", "no recipient", { hint: "pass a PID, or --agent NAME" });
  }
  if ((capabilities.length === 0) === (given === undefined)) {
    throw new SysError("EINVAL", "pass either capabilities or --token");
  }
  const report = await client.grant({
    ...(agent === undefined ? { pid } : { agent }),
    ...(given === undefined ? { capabilities } : { token: (await readText(given)).trim() }),
    ...(expiresInMs === undefined ? {} : { expiresInMs }),
    ...(reason === undefined ? {} : { reason }),
  });
  await out.data(report, () => report.handle);
};

export default command;
