// `mounts:` of config.yaml: what processes see below /mnt, and the tenants whose processes do.
//
//   mounts:
//     docs: { driver: folder, folder: /srv/docs }              # the default tenant's
//     crm: { driver: http, url: https://crm.example.com, read: { path: "/{path}" }, tenants: [acme] }

import {
  DEFAULT_TENANT,
  isTenantName,
  mountDeclaration,
  mountName,
  mountNameProblem,
} from "@aos/protocol";
import type { ConfiguredMount } from "@aos/drivers";
import { z } from "zod";

const tenantNames = z.array(z.string().refine(isTenantName, "the name of a tenant")).min(1);

const configuredMount = z
  .looseObject({ tenants: tenantNames.default([DEFAULT_TENANT]) })
  .transform(({ tenants, ...written }, context): ConfiguredMount => {
    const read = mountDeclaration.safeParse(written);
    if (read.success) return { declaration: read.data, tenants };
    for (const issue of read.error.issues)
      context.addIssue({ code: "custom", path: issue.path, message: issue.message });
    return z.NEVER;
  });

const configuredMounts = z.record(mountName, configuredMount).superRefine((mounts, context) => {
  for (const [name, { declaration }] of Object.entries(mounts)) {
    const message = mountNameProblem(name, declaration);
    if (message !== undefined) context.addIssue({ code: "custom", path: [name], message });
  }
});

export const mountSection = { mounts: configuredMounts.default({}) };
