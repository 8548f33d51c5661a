import type { Command } from "../command.ts";
import { wholeText } from "../memory-text.ts";
import { readNumberOption } from "../read-number.ts";
import { whoseFiles } from "../whose-files.ts";

const command: Command = async ({ args: [path = ""], client, options, out }) => {
  const version = options.text("version");
  if (version !== undefined) {
    const old = await client.fileVersion({ path, version, ...whoseFiles(options) });
    const { data, label, writer, writtenAt } = old;
    return out.data({ path, version, data, label, writer, writtenAt }, () => wholeText(data, out));
  }
  const limit = readNumberOption(options.text("limit"), "--limit");
  const after = options.text("after");
  const report = await client.readFile({
    path,
    ...whoseFiles(options),
    ...(limit === undefined ? {} : { limit }),
    ...(after === undefined ? {} : { after }),
  });
  const { pid, data, label, writer, writtenAt } = report;
  await out.data({ path, pid, data, label, writer, writtenAt }, () => wholeText(data, out));
};

export default command;
