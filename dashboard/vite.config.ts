// How the page is built: into `dist`, every file with its digest in the name, nothing from elsewhere.
//
//   npm run build -w dashboard
//   AOS_URL=http://127.0.0.1:4040 npm run dev -w dashboard     with the API of a running daemon

import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, loadEnv } from "vite";

export default defineConfig(({ mode }) => {
  const { AOS_URL: daemon = "http://127.0.0.1:4040" } = loadEnv(mode, "..", "AOS_");
  return {
    plugins: [react(), tailwindcss()],
    build: {
      // The policy of the page allows no inline data but images.
      assetsInlineLimit: 0,
      // No browser that runs this needs it, and it would be a script in the page.
      modulePreload: { polyfill: false },
    },
    server: { proxy: { "/api": daemon } },
  };
});
