import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";
import { readInput, readJsonOption, readText } from "../read-input.ts";
import { waitForItem } from "../wait-for-item.ts";

const command: Command = async (call) => {
  const {
    args: [name = "", text],
    client,
    options,
    out,
  } = call;
  const json = options.text("inputJson");
  if ((text === undefined) === (json === undefined))
    throw new SysError("EINVAL", "pass either an input or --input-json");
  const input =
    json === undefined
      ? await readInput(text!)
      : readJsonOption(await readText(json), "--input-json");
  const [key, label] = [options.text("key"), options.text("label")];
  const item = await client.sendFleetItem({
    name,
    input,
    ...fleetTenant(call),
    ...(key === undefined ? {} : { key }),
    ...(label === undefined ? {} : { label }),
  });
  if (options.flag("wait")) return waitForItem(call, { name, item: item.id });
  await out.data(item, () => item.id);
};

export default command;
