import type { Command } from "../command.ts";
import { fleetDraft } from "../fleet-draft.ts";
import { formatFleet } from "../format-fleet.ts";

const command: Command = async (call) => {
  const { name: _, ...draft } = fleetDraft(call, call.args[0] ?? "");
  const fleet = await call.client.applyFleet(draft);
  await call.out.data(fleet, () => formatFleet(fleet));
};

export default command;
