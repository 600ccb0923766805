# The images that this one is made of. A build that can be repeated names them by digest: docs/deploying.md says how.
ARG NODE_IMAGE=node:22-bookworm-slim
ARG DEBIAN_IMAGE=debian:bookworm-slim

# Any Node can install; the image carries only the one that package-lock.json pins, which needs libatomic1.
FROM ${NODE_IMAGE} AS install
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
WORKDIR /easel
COPY package.json package-lock.json ./
# The headers of Node are for compilers only.
RUN npm ci --omit=dev --include=optional --no-audit --no-fund && rm -rf node_modules/node-*/include

FROM install AS build
COPY . .
RUN NODE_ENV=production node_modules/.bin/node scripts/build-dashboard.ts && node_modules/.bin/node scripts/build-bundle.ts

# What only the build needs stays out of the image.
FROM install AS run
RUN cd node_modules && rm -rf vite rolldown @rolldown @vitejs lightningcss* lucide-react @fontsource* @tanstack react react-dom

FROM ${DEBIAN_IMAGE} AS service
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 easel \
  && install -d -o easel /data
WORKDIR /easel
COPY --from=run /easel/node_modules node_modules
COPY . .
COPY --from=build /easel/dashboard/dist dashboard/dist
RUN install -d -o easel node_modules/.cache
# The number lets Kubernetes check that it is not root.
USER 10001
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 EASEL_DATA=/data PATH=/easel/node_modules/.bin:$PATH
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=64", "--no-wasm-inlining", "--import", "./scripts/compiled.mjs", "--import", "./scripts/dotenv.mjs", "src/main.ts"]

# The emulator: docker build --target emulator -t easel-emulator . && docker run --rm -p 8080:8080 easel-emulator
FROM service AS emulator
COPY --from=build --chown=10001 /easel/node_modules/.cache/bundle node_modules/.cache/bundle
ENTRYPOINT ["node", "--max-semi-space-size=4", "--liftoff-only", "--no-wasm-inlining", "scripts/run.mjs", "emulator", "--host", "0.0.0.0", "--port", "8080"]

# Without --target the server is built.
FROM service
