FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/pages/package.json src/pages/package-lock.json src/pages/.npmrc src/pages/
COPY scripts/install.mjs scripts/pages.mjs scripts/
RUN node scripts/install.mjs
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY integrations integrations
RUN npm run build

FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No CUDA libraries; and of the runtime of the built-in embedding model, only the binaries of this platform.
ENV ONNXRUNTIME_NODE_INSTALL=skip
RUN npm ci --omit=dev \
  && cd node_modules/onnxruntime-node/bin/napi-v6 \
  && platform="$(node -p 'process.platform')" architecture="$(node -p 'process.arch')" \
  && find . -mindepth 1 -maxdepth 1 ! -name "$platform" -exec rm -r {} + \
  && find "$platform" -mindepth 1 -maxdepth 1 ! -name "$architecture" -exec rm -r {} +

FROM node:24.21.0-slim AS model
RUN apt-get update && apt-get install --yes --no-install-recommends maven && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY scripts/fetch-model.ts scripts/fetch-model.ts
COPY src src
RUN XDG_CACHE_HOME=/cache node scripts/fetch-model.ts

FROM node:24.21.0-slim
ENV NODE_ENV=production SERVICE_HOST=0.0.0.0 MALLOC_ARENA_MAX=1 XDG_CACHE_HOME=/cache
WORKDIR /app
COPY package.json ./
COPY schema schema
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
# Commands that are documented for containers.
RUN ln -s src/cli dist/cli
COPY --from=model /cache /cache
USER node
EXPOSE 4545
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SERVICE_PORT || 4545) + '/api/v1/health').then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--v8-pool-size=1", "dist/src/main.js"]
