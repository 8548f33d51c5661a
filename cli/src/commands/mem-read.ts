import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { wholeText } from "../memory-text.ts";

const command: Command = async ({ args: [pid = "", path = ""], client, out }) => {
  const { file } = await client.memory({ pid, path, limit: 1 });
  if (file === null)
    throw new SysError("EINVAL", `${path} is a folder`, {
      hint: `aos mem ls ${pid} ${path} lists what is below it`,
    });
  await out.data(file, () => wholeText(file.data, out));
};

export default command;
