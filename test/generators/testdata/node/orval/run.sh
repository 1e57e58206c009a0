# Version 8 needs Node.js 22.
node_tools node
orval >&2
typescript main.ts
