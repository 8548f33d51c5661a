import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { fleetDraft, fleetTenant } from "../fleet-draft.ts";
import { formatFleet } from "../format-fleet.ts";

const DECISIONS = {
  promote: "promote",
  rollback: "rollback",
  pause: "pause",
  continue: "resume",
} as const;

const command: Command = async (call) => {
  const {
    args: [name = "", file],
    client,
    options,
    out,
  } = call;
  const said = (Object.keys(DECISIONS) as (keyof typeof DECISIONS)[]).filter((option) =>
    options.flag(option),
  );
  if (said.length + (file === undefined ? 0 : 1) !== 1)
    throw new SysError("EINVAL", "pass either a file or one of --promote, --rollback, --pause", {
      hint: "aos fleet roll NAME FILE begins a roll",
    });
  const fleet =
    file === undefined
      ? await client.decideFleetRoll({
          name,
          decision: DECISIONS[said[0]!],
          ...fleetTenant(call),
        })
      : await client.rollFleet({ ...fleetDraft(call, file), name });
  await out.data(fleet, () => formatFleet(fleet));
};

export default command;
