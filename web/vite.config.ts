import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Only files with a digest in their name: the page that names them is drawn by the gateway. */
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
    // The policy that the page is sent with knows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: here('main.tsx'), output: { entryFileNames: 'assets/app-[hash].js' } },
  },
});
