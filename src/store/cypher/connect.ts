import neo4j, { type Driver } from 'neo4j-driver'

/** A driver for one query at a time, which keeps integers of 64 bits as they are. */
export const connectReader = ({
  uri,
  username,
  password,
}: {
  uri: string
  username: string
  password: string
}): Driver =>
  neo4j.driver(uri, neo4j.auth.basic(username, password), {
    telemetryDisabled: true,
    notificationFilter: { minimumSeverityLevel: 'OFF' },
    maxConnectionPoolSize: 2,
    connectionTimeout: 3_000,
    connectionAcquisitionTimeout: 5_000,
    connectionLivenessCheckTimeout: 10_000,
  })
