/** Builds the app into dist/web. The gateway renders the HTML page, so the build has only hashed assets. */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  plugins: [react()],
  logLevel: 'warn',
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    // These browsers know light-dark(); an older target would expand every colour.
    cssTarget: ['chrome125', 'firefox125', 'safari17.5'],
    // The content security policy allows no data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: here('main.tsx'), output: { entryFileNames: 'assets/app-[hash].js' } },
  },
});
