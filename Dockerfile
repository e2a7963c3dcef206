# One image for all servers. The command selects which server runs. Only the data folder is writable.
#   docker build -t tamshai .
#   docker run --read-only --cap-drop ALL --env-file .env -v tamshai:/data -p 3100:3100 tamshai serve gateway …
FROM node:24.11.1-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package runs code during installation.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY domains domains
COPY web web
COPY bin bin
COPY sql sql
COPY docs docs
COPY contracts contracts
COPY templates templates
COPY models models
COPY LICENSE CHANGELOG.md SECURITY.md ./
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund && mkdir /data

FROM gcr.io/distroless/nodejs24-debian12:nonroot
ENV NODE_ENV=production TAMSHAI_DATA=/data
WORKDIR /app
COPY --from=build --chown=65532:65532 /data /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/bin bin
COPY --from=build /app/sql sql
COPY --from=build /app/domains domains
COPY --from=build /app/docs docs
COPY --from=build /app/contracts contracts
COPY --from=build /app/templates templates
COPY --from=build /app/models models
COPY --from=build /app/LICENSE ./
COPY --from=build /app/CHANGELOG.md ./
COPY --from=build /app/SECURITY.md ./
USER 65532
VOLUME /data
# The gateway, hr, finance, sales, support, journey, payroll, tax, tasks, knowledge; and OPS_PORT for probes and scrapers.
EXPOSE 3100 3101 3102 3103 3104 3105 3106 3107 3108 3109 9464
ENTRYPOINT ["/nodejs/bin/node", "/app/bin/tamshai.mjs"]
CMD ["--help"]
