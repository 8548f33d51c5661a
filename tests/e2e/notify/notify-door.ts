// A daemon's notifications over a real kernel, the real routes, and a fake service that takes webhooks.

import type { Config, NotifyOptions } from "@aos/daemon/parts";
import { checkConfigText, Notifications } from "@aos/daemon/parts";
import type { TestStore } from "../../helpers/stores.ts";
import { until } from "../../helpers/kernel.ts";
import { startFakeService, type FakeService } from "../../helpers/post/fake-service.ts";
import { openFrontDoor, type FrontDoor } from "../gateway/front-door.ts";

export interface NotifyDoor {
  readonly door: FrontDoor;
  readonly service: FakeService;
  readonly notify: Notifications;
  /** The text of the newest message with a link, and that link. */
  readonly link: (count?: number) => Promise<string>;
  close(): Promise<void>;
}

export const rowsOf = (rows: object): Config["notify"] =>
  checkConfigText(JSON.stringify({ notify: rows }), "config.yaml").notify;

export async function openNotifyDoor(
  rows: (serviceUrl: string) => object,
  how: { store?: TestStore; options?: Partial<NotifyOptions>; publicUrl?: string } = {},
): Promise<NotifyDoor> {
  const service = await startFakeService();
  const notifyRows = rowsOf(rows(service.url));
  const config = { notify: notifyRows, ...(how.publicUrl ? { publicUrl: how.publicUrl } : {}) };
  const store = await how.store?.newStore();
  const door = await openFrontDoor({ config, store });
  const notify = notificationsOf(door, how.options);
  notify.begin();
  return {
    door,
    service,
    notify,
    link: async (count = 1) => {
      const links = () =>
        service.received.flatMap(({ text }) => /https?:[^"\s]*\/answer\/[\w.-]+/.exec(text) ?? []);
      await until(() => links().length >= count);
      return links().at(-1)!;
    },
    async close() {
      await notify.close();
      await door.close();
      await service.close();
    },
  };
}

export const notificationsOf = (door: FrontDoor, more: Partial<NotifyOptions> = {}) =>
  new Notifications({
    kernel: door.kernel,
    config: door.gateway.config,
    homeFolder: door.gateway.home.folder,
    url: () => door.url,
    log: { info() {}, warn() {}, error() {} },
    everyMs: 20,
    firstBackoffMs: 10,
    ...more,
  });
