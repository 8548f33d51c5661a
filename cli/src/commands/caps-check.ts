import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { explain } from "../explain.ts";
import { readJson, readText } from "../read-input.ts";

export const command: Command = async ({ args, client, out }) => {
  const [pid = "", call = "", given] = args;
  const report = await client.check({
    pid,
    call,
    ...(given === undefined ? {} : { args: readJson(await readText(given), "ARGS") }),
  });
  const { allow, code, reason, hint, detail } = report;
  await out.data(report, () =>
    explain(
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
