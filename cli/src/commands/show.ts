import { colours } from "@aos/protocol/words";
import { stringify } from "yaml";
import type { Command } from "../command.ts";

const command: Command = async ({ args, client, out }) => {
  const detail = await client.show({ pid: args[0] ?? "" });
  await out.data(detail, () => stringify({ ...detail, colour: colours[detail.labels.integrity] }));
};

export default command;
