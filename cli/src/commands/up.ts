import type { Command } from "../command.ts";
import { becomeDaemon, startDetached } from "../daemon-process.ts";
import { pageAddress } from "../page-address.ts";

export const command: Command = async ({ client, options, out, place }) => {
  if (!options.flag("detach")) becomeDaemon(place);
  const info = await startDetached(place);
  out.note(`the daemon is up (pid ${info.pid}) on ${place.home}`);
  const page = out.format === "text" ? await pageAddress(client) : null;
  if (page !== null) out.note(`the page, once and within minutes: ${page}`);
  await out.data({ ...info, home: place.home }, () => "");
};
