import type { Command } from "../command.ts";
import { layersTable } from "../policy-layers.ts";

const command: Command = async ({ client, out }) => {
  const report = await client.reloadPolicy();
  await out.data(report, () => layersTable(report));
};

export default command;
