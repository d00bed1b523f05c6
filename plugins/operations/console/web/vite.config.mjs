import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';

export default {
  plugins: [react()],
  base: '/console/',
  // The dialogs of Radix lock scrolling by a style element, which the content security policy refuses.
  resolve: { alias: { 'react-remove-scroll': fileURLToPath(new URL('./kit/scroll-lock.tsx', import.meta.url)) } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsDir: 'assets',
    // Data URLs in styles and inline scripts would need a wider content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
  },
};
