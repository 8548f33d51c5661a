import type { Command } from "../command.ts";
import { recordLines } from "../memory-record-text.ts";
import { wholeText } from "../memory-text.ts";

const command: Command = async ({ args: [path = ""], client, options, out }) => {
  const tenant = options.text("tenant");
  const record = await client.memoryRecord({ path, ...(tenant === undefined ? {} : { tenant }) });
  await out.data(record, () =>
    [...recordLines(record), "", wholeText(record.data, out)].join("\n"),
  );
};

export default command;
