// QueryClient: what the page has asked the daemon, and how it asks.

import { QueryClient } from "@tanstack/react-query";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A daemon on this machine is there whether or not the machine is on a network.
      networkMode: "always",
      retry: false,
      staleTime: 1_000,
    },
    mutations: { networkMode: "always", retry: false },
  },
});
