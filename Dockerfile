FROM node:24-bookworm-slim
WORKDIR /app
# By default glibc gives each thread of V8 and libuv a memory arena of its own, and keeps what they have filled.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY migrations migrations
COPY locales locales
COPY docs docs
COPY src src
# The embedded database's directory, for whoever mounts a volume instead of setting DATABASE_URL; and Node's compile
# cache, filled now so that the first start is as quick as the others, and loads no compiler of TypeScript.
RUN mkdir -p .watchword node_modules/.cache && chown node:node .watchword node_modules/.cache
USER node
RUN NODE_COMPILE_CACHE=node_modules/.cache/watchword node -e \
  "for (const name of ['process/run', 'process/workers', 'wiring/jobs', 'process/readiness', 'platform/jobs/worker']) import('./src/' + name + '.ts')"
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=40s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/main.js"]
