import { SysError } from "@aos/protocol/words";
import { stringify } from "yaml";
import type { Command } from "../command.ts";
import { layersOf, layersTable } from "../policy-layers.ts";

const command: Command = async ({ client, options, out }) => {
  const report = await client.policy();
  const name = options.text("layer");
  if (name === undefined) return out.data(report, () => layersTable(report));
  const names = layersOf(report).map((layer) => layer.name);
  const layer = layersOf(report)[names.indexOf(name)];
  if (layer === undefined) {
    throw new SysError("ENOENT", `no policy layer is called ${name}`, {
      hint: `the layers are ${names.join(", ")}`,
    });
  }
  await out.data(layer, () => stringify(layer));
};

export default command;
