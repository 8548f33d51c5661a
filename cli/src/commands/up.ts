import type { Command } from "../command.ts";
import { becomeDaemon, startDetached } from "../daemon-process.ts";

export const command: Command = async ({ options, out, place }) => {
  if (!options.flag("detach")) becomeDaemon(place);
  const info = await startDetached(place);
  out.note(`the daemon is up (pid ${info.pid}) on ${place.home}`);
  await out.data({ ...info, home: place.home }, () => "");
};
