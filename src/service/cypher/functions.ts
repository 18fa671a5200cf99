/**
 * The functions of Neo4j that compute from their arguments alone. Whatever names an internal id, reads a file or tells of
 * the server is missing.
 */
export const functions: ReadonlySet<string> = new Set(
  `abs acos all any asin atan atan2 avg btrim cardinality ceil char_length character_length coalesce collect cos cosh cot coth count
  date date.realtime date.statement date.transaction date.truncate datetime datetime.fromepoch datetime.fromepochmillis
  datetime.realtime datetime.statement datetime.transaction datetime.truncate degrees duration duration.between duration.indays
  duration.inmonths duration.inseconds e endnode exists exp floor format head haversin isempty isnan keys labels last left length list.difference
  localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate
  localtime localtime.realtime localtime.statement localtime.transaction localtime.truncate log log10 lower ltrim max min nodes none
  nullif percentilecont percentiledisc pi point point.distance point.withinbbox properties radians rand randomuuid range
  relationships replace reverse right round rtrim sign sin single sinh size split sqrt startnode stdev stdevp
  substring sum tail tan tanh time time.realtime time.statement time.transaction time.truncate timestamp toboolean
  tobooleanlist tobooleanornull tofloat tofloatlist tofloatornull tointeger tointegerlist tointegerornull tolower tostring
  tostringlist tostringornull toupper trim type upper valuetype vector.similarity.cosine vector.similarity.euclidean`.split(
    /\s+/,
  ),
)
