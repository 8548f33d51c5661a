// Notifications for a daemon whose configuration names somebody to tell; else nothing of it is loaded.

import type { Notifications, NotifyOptions } from "./open-notify.ts";

export async function openNotifications(
  options: NotifyOptions,
): Promise<Notifications | undefined> {
  if (Object.keys(options.config.notify).length === 0) return undefined;
  const { Notifications: Opened } = await import("./open-notify.ts");
  return new Opened(options);
}
