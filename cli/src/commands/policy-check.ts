import { exitCodes } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { readFile } from "../read-file.ts";

const command: Command = async ({ args, client, out }) => {
  const report = await client.checkPolicy({ files: args.map(readFile) });
  await out.data(report, () =>
    report.ok
      ? `${args.join(", ")}: no problems`
      : report.problems
          .map(
            ({ file, line, field, message }) =>
              `${file}:${line}: ${field === "" ? "" : `${field}: `}${message}`,
          )
          .join("\n"),
  );
  return report.ok ? exitCodes.success : exitCodes.badInput;
};

export default command;
