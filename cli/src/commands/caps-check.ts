import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { detailText } from "../detail-text.ts";
import { readJsonOption, readText } from "../read-input.ts";

const command: Command = async ({ args, client, out }) => {
  const [pid = "", call = "", given] = args;
  const report = await client.check({
    pid,
    call,
    ...(given === undefined ? {} : { args: readJsonOption(await readText(given), "ARGS") }),
  });
  const { allow, code, reason, hint, detail } = report;
  await out.data(report, () =>
    detailText(
      [
        ["verdict", allow ? "allowed" : `refused (${code})`],
        ["reason", reason],
        ["hint", hint],
      ],
      detail,
    ),
  );
  return allow ? exitCodes.success : exitCodes.refused;
};

export default command;
