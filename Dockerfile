# Any Node can install; the image carries only the one that package-lock.json pins.
FROM node:22-bookworm-slim AS install
WORKDIR /easel
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 libstdc++6 \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 easel \
  && install -d -o easel /data
WORKDIR /easel
COPY --from=install /easel/node_modules node_modules
COPY . .
RUN install -d -o easel node_modules/.cache
USER easel
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 EASEL_DATA=/data PATH=/easel/node_modules/.bin:$PATH
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "src/main.ts"]
