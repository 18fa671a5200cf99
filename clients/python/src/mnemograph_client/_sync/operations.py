# Generated from the contract by `npm run python-client`. Do not edit.
# 864e3b2de4e1c1bcb85b43ccf32e06f9709c2c349727923d3162a1a181c8f2cb

from collections.abc import Iterator
from typing import Any, Unpack, cast

from .. import models
from .._shared import Operation


class Operations:
    """One method for each operation of the service."""

    def _call(self, operation: Operation, fields: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _stream(self, operation: Operation, fields: Any) -> Iterator[str]:
        raise NotImplementedError

    def create_memory(
        self,
        *,
        idempotency_key: str | None = None,
        wait: float | None = None,
        **fields: Unpack[models.CreateMemoryInput],
    ) -> models.CreateMemoryOutput:
        """Create a memory.

        When the response arrives, the memory is durable, and its discovery is queued in the same
        transaction. If the embedding provider fails, the service stores the memory anyway:
        `embedding.status` is `pending`, and the queue computes the embedding later.
        """
        return cast(
            models.CreateMemoryOutput,
            self._call(
                Operation("createMemory", "POST", "/memories", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
                wait=wait,
            ),
        )

    def create_memories(
        self,
        *,
        idempotency_key: str | None = None,
        wait: float | None = None,
        **fields: Unpack[models.CreateMemoriesInput],
    ) -> models.CreateMemoriesOutput:
        """Create up to 500 memories, all or none.

        The service creates all memories in one transaction, and returns them in the same order.
        """
        return cast(
            models.CreateMemoriesOutput,
            self._call(
                Operation("createMemories", "POST", "/memories/batch", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
                wait=wait,
            ),
        )

    def get_memory(self, **fields: Unpack[models.GetMemoryInput]) -> models.GetMemoryOutput:
        """Fetch an active or archived memory.

        A fetch counts as a recall, unless `record_recall` is false. The recall is durable when the response
        arrives. If the database takes no writes, the response comes without it and has the header
        `X-Recall: deferred`; the service records the recall later. Recalls of the same memory within 30
        seconds count as one. With `as_of` the response is the newest version recorded by then, and no
        recall counts; health, recalls, community and embedding are always those of today.
        """
        return cast(
            models.GetMemoryOutput,
            self._call(
                Operation("getMemory", "GET", "/memories/{id}", in_body=False, creates=False, reads=True), fields
            ),
        )

    def update_memory(
        self, *, if_version: int | None = None, wait: float | None = None, **fields: Unpack[models.UpdateMemoryInput]
    ) -> models.UpdateMemoryOutput:
        """Change fields of a memory.

        Only the fields that you send change. If the content changes, the service computes a new embedding
        and discovers connections again; asserted connections stay. `clear` names fields that are to have no
        value.
        """
        return cast(
            models.UpdateMemoryOutput,
            self._call(
                Operation("updateMemory", "PATCH", "/memories/{id}", in_body=True, creates=False, reads=False),
                fields,
                if_version=if_version,
                wait=wait,
            ),
        )

    def delete_memory(
        self, *, if_version: int | None = None, **fields: Unpack[models.DeleteMemoryInput]
    ) -> models.DeleteMemoryOutput:
        """Archive a memory, or remove it for good.

        Searches and walks no longer find an archived memory, and `restoreMemory` makes it active again.
        Archiving an archived memory succeeds and changes nothing. Removing a memory for good needs the
        scope `delete`.
        """
        return cast(
            models.DeleteMemoryOutput,
            self._call(
                Operation("deleteMemory", "DELETE", "/memories/{id}", in_body=False, creates=False, reads=False),
                fields,
                if_version=if_version,
            ),
        )

    def restore_memory(
        self, *, if_version: int | None = None, **fields: Unpack[models.RestoreMemoryInput]
    ) -> models.RestoreMemoryOutput:
        """Make an archived memory active again.

        The memory has full health again. If it was archived as `superseded`, it holds again as before, and
        is in conflict with the memory that replaced it. Restoring an active memory succeeds and changes
        nothing.
        """
        return cast(
            models.RestoreMemoryOutput,
            self._call(
                Operation("restoreMemory", "POST", "/memories/{id}/restore", in_body=True, creates=False, reads=False),
                fields,
                if_version=if_version,
            ),
        )

    def list_memories(self, **fields: Unpack[models.ListMemoriesInput]) -> models.ListMemoriesOutput:
        """List memories page by page.

        To read all pages, pass `next_cursor` as the `cursor` of the next call until it is null. The pages
        contain a memory exactly once if it matches the whole time and the field that you order by does not
        change. With `as_of`, order by `created_at`.
        """
        return cast(
            models.ListMemoriesOutput,
            self._call(Operation("listMemories", "GET", "/memories", in_body=False, creates=False, reads=True), fields),
        )

    def add_turns(
        self, *, idempotency_key: str | None = None, wait: float | None = None, **fields: Unpack[models.AddTurnsInput]
    ) -> models.AddTurnsOutput:
        """Store up to 500 turns of a conversation.

        Each turn becomes a memory of the kind turn with its session, speaker and time, all or none. The id
        of a turn with a time follows from session, speaker, time and text, so you can send a conversation
        again after a failure or when it has grown: only new turns are stored. Two equal turns at the same
        time in one call are two turns.
        """
        return cast(
            models.AddTurnsOutput,
            self._call(
                Operation("addTurns", "POST", "/sessions/{session_id}/turns", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
                wait=wait,
            ),
        )

    def extract_facts(self, **fields: Unpack[models.ExtractFactsInput]) -> models.ExtractFactsOutput:
        """Extract facts from the turns of a session with the chat model.

        Queues a job. `addTurns` does the same on its own. The job stores each fact as a memory with
        `derived_from` connections to its turns, and records a run of the kind `extract`, which
        `undoMaintenance` takes back as a whole. Facts that are stored already are not stored again.
        """
        return cast(
            models.ExtractFactsOutput,
            self._call(
                Operation(
                    "extractFacts", "POST", "/sessions/{session_id}/extract", in_body=True, creates=False, reads=False
                ),
                fields,
            ),
        )

    def get_memory_history(self, **fields: Unpack[models.GetMemoryHistoryInput]) -> models.GetMemoryHistoryOutput:
        """Read the versions of a memory, newest first.

        The first version is the current one. The service keeps a number of earlier versions of each memory,
        20 by default. They are removed together with the memory. Recalls and the daily fading make no
        version.
        """
        return cast(
            models.GetMemoryHistoryOutput,
            self._call(
                Operation(
                    "getMemoryHistory", "GET", "/memories/{id}/history", in_body=False, creates=False, reads=True
                ),
                fields,
            ),
        )

    def revert_memory(
        self, *, if_version: int | None = None, **fields: Unpack[models.RevertMemoryInput]
    ) -> models.RevertMemoryOutput:
        """Make an earlier version of a memory current again.

        The memory gets the content and fields of the earlier version, as a new version. Its state stays:
        restore an archived memory first. If the content differs, its embedding and connections are computed
        again.
        """
        return cast(
            models.RevertMemoryOutput,
            self._call(
                Operation("revertMemory", "POST", "/memories/{id}/revert", in_body=True, creates=False, reads=False),
                fields,
                if_version=if_version,
            ),
        )

    def list_tags(self, **fields: Unpack[models.ListTagsInput]) -> models.ListTagsOutput:
        """List the tags of active memories, the most frequent first.

        Ties are in alphabetical order. To read all pages, pass `next_cursor` as the `cursor` of the next
        call until it is null. They contain a value exactly once if it is there the whole time, whatever
        else is added or removed. Pages by cursor contain the first 1,000 values in this order, and the
        others in alphabetical order, as counts change in the meantime.
        """
        return cast(
            models.ListTagsOutput,
            self._call(Operation("listTags", "GET", "/tags", in_body=False, creates=False, reads=True), fields),
        )

    def list_sources(self, **fields: Unpack[models.ListSourcesInput]) -> models.ListSourcesOutput:
        """List the sources of active memories, the most frequent first.

        Ties are in alphabetical order. To read all pages, pass `next_cursor` as the `cursor` of the next
        call until it is null. They contain a value exactly once if it is there the whole time, whatever
        else is added or removed. Pages by cursor contain the first 1,000 values in this order, and the
        others in alphabetical order, as counts change in the meantime.
        """
        return cast(
            models.ListSourcesOutput,
            self._call(Operation("listSources", "GET", "/sources", in_body=False, creates=False, reads=True), fields),
        )

    def list_sessions(self, **fields: Unpack[models.ListSessionsInput]) -> models.ListSessionsOutput:
        """List the sessions of active memories, the most frequent first.

        Ties are in alphabetical order. To read all pages, pass `next_cursor` as the `cursor` of the next
        call until it is null. They contain a value exactly once if it is there the whole time, whatever
        else is added or removed. Pages by cursor contain the first 1,000 values in this order, and the
        others in alphabetical order, as counts change in the meantime.
        """
        return cast(
            models.ListSessionsOutput,
            self._call(Operation("listSessions", "GET", "/sessions", in_body=False, creates=False, reads=True), fields),
        )

    def list_kinds(self, **fields: Unpack[models.ListKindsInput]) -> models.ListKindsOutput:
        """List the kinds of active memories, the most frequent first.

        Ties are in alphabetical order. To read all pages, pass `next_cursor` as the `cursor` of the next
        call until it is null. They contain a value exactly once if it is there the whole time, whatever
        else is added or removed. Pages by cursor contain the first 1,000 values in this order, and the
        others in alphabetical order, as counts change in the meantime.
        """
        return cast(
            models.ListKindsOutput,
            self._call(Operation("listKinds", "GET", "/kinds", in_body=False, creates=False, reads=True), fields),
        )

    def group_memories(self, **fields: Unpack[models.GroupMemoriesInput]) -> models.GroupMemoriesOutput:
        """Count memories by what they have in common.

        The filters are those of lists. Periods are those of the creation in UTC, the newest first; all
        other groups come with the largest first. A memory with several tags, or with connections of several
        types, counts in several groups. One without any counts in none. Connections count in both
        directions, to active memories. Reads every memory that matches.
        """
        return cast(
            models.GroupMemoriesOutput,
            self._call(
                Operation("groupMemories", "GET", "/memories/groups", in_body=False, creates=False, reads=True), fields
            ),
        )

    def search_memories(self, **fields: Unpack[models.SearchMemoriesInput]) -> models.SearchMemoriesOutput:
        """Search memories by meaning, by keywords, or by both.

        Filters apply before ranking, to every kind of search. The score of a semantic search is the cosine
        similarity, with negative values as 0. The score of a keyword search is the BM25 score divided by
        the best one of the response. A hybrid search combines both lists by rank (reciprocal rank fusion);
        its score is the fused value divided by the highest possible one. In a session, the memories near a
        strong result count as a third list. A score ranks the results of one response; `relevance` says how
        clearly a result stands above chance. Put words in double quotes to find exactly these words in this
        order by keyword. To read more results, pass `next_cursor` as `cursor`: no memory is returned twice.
        With `as_of`, use `search_type` `keyword`: it finds what texts said then, among the last 10,000
        memories created before it; no recall counts, and `conflicts` are empty.
        """
        return cast(
            models.SearchMemoriesOutput,
            self._call(
                Operation("searchMemories", "POST", "/memories/search", in_body=True, creates=False, reads=True), fields
            ),
        )

    def compose_context(self, **fields: Unpack[models.ComposeContextInput]) -> models.ComposeContextOutput:
        """Compose a text of what is remembered about a question, within a token budget.

        The text contains the relevant hits of a hybrid search, the memories that contradict them, the
        memories right before and after them in their sessions, the memories that join two of them, and
        their strongest neighbours. The token count is an estimate that errs on the high side and never
        exceeds the budget. The same question returns the same text until a memory changes. If no memory
        bears on the question, the text says that nothing is remembered, and `sources` is empty. Each memory
        in the text counts as recalled, unless `record_recall` is false. Without `query`, the text is an
        overview for the start of a session, and nothing counts as recalled.
        """
        return cast(
            models.ComposeContextOutput,
            self._call(
                Operation("composeContext", "POST", "/context", in_body=True, creates=False, reads=True), fields
            ),
        )

    def related_memories(self, **fields: Unpack[models.RelatedMemoriesInput]) -> models.RelatedMemoriesOutput:
        """Find memories connected to a memory.

        The service follows connections from the memory, up to `depth` steps. Each memory appears once, with
        its strongest path. The strength of a path is the product of the strengths of its connections; a
        connection without a strength counts as 1. The strongest path comes first, then the shortest.
        """
        return cast(
            models.RelatedMemoriesOutput,
            self._call(
                Operation("relatedMemories", "GET", "/memories/{id}/related", in_body=False, creates=False, reads=True),
                fields,
            ),
        )

    def find_path(self, **fields: Unpack[models.FindPathInput]) -> models.FindPathOutput:
        """Find the best paths between two memories.

        The strongest path comes first, then the shortest. The strength of a path is the product of the
        strengths of its connections; a connection without a strength counts as 1.
        """
        return cast(
            models.FindPathOutput,
            self._call(Operation("findPath", "GET", "/graph/path", in_body=False, creates=False, reads=True), fields),
        )

    def export_graph(self, **fields: Unpack[models.ExportGraphInput]) -> Iterator[str]:
        """Export memories and connections as a file for other programs.

        The file is GraphML, GEXF with intervals, NDJSON, a Cypher script, or CSV in two parts. The service
        reads the graph page by page while it sends the file. The file contains each memory and connection
        that existed at the start and did not change, exactly once. It does not contain memories that are
        created later. With filters, it contains the matching memories and the connections between them.
        With `valid_at`, the connections hold then, too. With `as_of`, it leaves out what is no longer kept.
        """
        return self._stream(
            Operation("exportGraph", "GET", "/graph/export", in_body=False, creates=False, reads=True), fields
        )

    def get_stats(self, **fields: Unpack[models.GetStatsInput]) -> models.GetStatsOutput:
        """Count the memories, connections and jobs of the tenant.

        At most 100,000 memories of each policy, 100,000 connections of each type and 10,000 jobs of each
        state are counted. The total of memories and their number by state are exact.
        """
        return cast(
            models.GetStatsOutput,
            self._call(Operation("getStats", "GET", "/stats", in_body=False, creates=False, reads=True), fields),
        )

    def list_communities(self, **fields: Unpack[models.ListCommunitiesInput]) -> models.ListCommunitiesOutput:
        """List the communities of the graph, the largest first.

        A community has at least 3 active memories, which have more connections among each other than with
        the rest. The worker computes the communities by the Louvain method, and a PageRank, after enough
        changes: the same graph always has the same communities. An id stays with the community that keeps
        most of its memories. The filter `community` finds the memories of one.
        """
        return cast(
            models.ListCommunitiesOutput,
            self._call(
                Operation("listCommunities", "GET", "/graph/communities", in_body=False, creates=False, reads=True),
                fields,
            ),
        )

    def get_insights(self, **fields: Unpack[models.GetInsightsInput]) -> models.GetInsightsOutput:
        """See how the memories of the tenant grow, and where they need care.

        The service looks at 200,000 memories at most.
        """
        return cast(
            models.GetInsightsOutput,
            self._call(Operation("getInsights", "GET", "/insights", in_body=False, creates=False, reads=True), fields),
        )

    def list_insight_memories(
        self, **fields: Unpack[models.ListInsightMemoriesInput]
    ) -> models.ListInsightMemoriesOutput:
        """List the memories that a figure of the insights counts.

        In the order of their ids. If `truncated` is true, the service has looked for a second and the page
        is not full: continue with the cursor.
        """
        return cast(
            models.ListInsightMemoriesOutput,
            self._call(
                Operation("listInsightMemories", "GET", "/insights/memories", in_body=False, creates=False, reads=True),
                fields,
            ),
        )

    def run_cypher(self, **fields: Unpack[models.RunCypherInput]) -> models.RunCypherOutput:
        """Query the graph of the tenant in Cypher, read-only.

        The query sees memories, their recalls and their connections, all of this tenant, as the page on the
        graph describes them. `$tenant` is the tenant. Clauses, functions and procedures that do more than
        read this graph are refused. A query may take 10 seconds and 64 MB of memory in Neo4j, and return
        10,000 rows or 5 MB. Two queries of a tenant run at once.
        """
        return cast(
            models.RunCypherOutput,
            self._call(Operation("runCypher", "POST", "/cypher", in_body=True, creates=False, reads=True), fields),
        )

    def create_connection(
        self, *, idempotency_key: str | None = None, **fields: Unpack[models.CreateConnectionInput]
    ) -> models.CreateConnectionOutput:
        """Connect two memories.

        If the same source, target and type are already connected, the service keeps that connection and its
        `created_at`, and replaces the strength and the reason if you send them. `valid_from` or
        `valid_until` replace both; `clear` removes what it names. A discovered connection becomes an
        asserted one.
        """
        return cast(
            models.CreateConnectionOutput,
            self._call(
                Operation("createConnection", "POST", "/connections", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
            ),
        )

    def create_connections(
        self, *, idempotency_key: str | None = None, **fields: Unpack[models.CreateConnectionsInput]
    ) -> models.CreateConnectionsOutput:
        """Connect up to 500 pairs of memories, all or none.

        The service creates all connections in one transaction, and returns them in the same order. Each one
        follows the rules of `createConnection`. If a memory does not exist or is archived, the service
        creates none, and reports each such memory at its place.
        """
        return cast(
            models.CreateConnectionsOutput,
            self._call(
                Operation("createConnections", "POST", "/connections/batch", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
            ),
        )

    def list_connections(self, **fields: Unpack[models.ListConnectionsInput]) -> models.ListConnectionsOutput:
        """List connections, newest first.

        To read all pages, pass `next_cursor` as the `cursor` of the next call until it is null. They
        contain a connection exactly once if it is there the whole time, whatever else is added or removed.
        """
        return cast(
            models.ListConnectionsOutput,
            self._call(
                Operation("listConnections", "GET", "/connections", in_body=False, creates=False, reads=True), fields
            ),
        )

    def delete_connection(self, **fields: Unpack[models.DeleteConnectionInput]) -> models.DeleteConnectionOutput:
        """Disconnect two memories.

        Removes the connections from `source_id` to `target_id`. Connections in the other direction stay.
        """
        return cast(
            models.DeleteConnectionOutput,
            self._call(
                Operation(
                    "deleteConnection",
                    "DELETE",
                    "/connections/{source_id}/{target_id}",
                    in_body=False,
                    creates=False,
                    reads=False,
                ),
                fields,
            ),
        )

    def list_conflicts(self, **fields: Unpack[models.ListConflictsInput]) -> models.ListConflictsOutput:
        """List pairs of active memories that contradict each other.

        The newest contradiction comes first. A `contradicts` connection records a contradiction. To read
        all pages, pass `next_cursor` as the `cursor` of the next call until it is null. They contain a pair
        exactly once if it is there the whole time, whatever else is added or removed.
        """
        return cast(
            models.ListConflictsOutput,
            self._call(
                Operation("listConflicts", "GET", "/conflicts", in_body=False, creates=False, reads=True), fields
            ),
        )

    def review_conflict(self, **fields: Unpack[models.ReviewConflictInput]) -> models.ReviewConflictOutput:
        """Confirm or reject a suggested conflict.

        Discovery suggests a conflict if two memories that are near in meaning say nearly the same with
        another number, date, unit, name or place, or with a negation. A confirmed pair becomes a
        contradicts connection from the newer memory to the older one. A rejected pair is not suggested
        again until one of the two texts changes.
        """
        return cast(
            models.ReviewConflictOutput,
            self._call(
                Operation("reviewConflict", "POST", "/conflicts/review", in_body=True, creates=False, reads=False),
                fields,
            ),
        )

    def resolve_conflict(
        self, *, if_version: int | None = None, **fields: Unpack[models.ResolveConflictInput]
    ) -> models.ResolveConflictOutput:
        """Resolve a conflict: keep one memory and archive the other.

        The two contradict each other, or a conflict of them is suggested, which this confirms. The memory
        is archived as `superseded` and stops to hold (`valid_until`); its connections stay. Searches with a
        `valid_at` before that still find it. `restoreMemory` makes it active and hold again. A version that
        you name is that of the memory to archive.
        """
        return cast(
            models.ResolveConflictOutput,
            self._call(
                Operation("resolveConflict", "POST", "/conflicts/resolve", in_body=True, creates=False, reads=False),
                fields,
                if_version=if_version,
            ),
        )

    def list_changes(self, **fields: Unpack[models.ListChangesInput]) -> models.ListChangesOutput:
        """List changes in the order in which they happened.

        The feed contains every committed change by a caller, by discovery or by maintenance. Changes of the
        same memory keep their order, and no change is skipped. A change does not contain content; fetch the
        memory by its id. Save `next_cursor` and continue from it later: it is never null. The service keeps
        changes for 7 days, unless the operator sets another time. If your cursor is older, the request
        fails with `cursor_expired`. Then take a new cursor with `from` set to `now`, and read all memories
        again.
        """
        return cast(
            models.ListChangesOutput,
            self._call(Operation("listChanges", "GET", "/changes", in_body=False, creates=False, reads=True), fields),
        )

    def create_webhook(
        self, *, idempotency_key: str | None = None, **fields: Unpack[models.CreateWebhookInput]
    ) -> models.CreateWebhookOutput:
        """Send changes to an address.

        The service sends each change of the tenant from now on as a POST request with a JSON body, signed
        as the Standard Webhooks specification defines. The response contains the secret for checking
        signatures; save it now. Answer with a status from 200 to 299 within 10 seconds. Otherwise the
        service tries again for a day, less and less often. Changes of the same memory arrive in order and
        at least once: recognize a repeat by the header `webhook-id`. The service does not follow redirects,
        and sends nothing to private addresses, unless the operator allows them. A tenant can have 20
        webhooks.
        """
        return cast(
            models.CreateWebhookOutput,
            self._call(
                Operation("createWebhook", "POST", "/webhooks", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
            ),
        )

    def list_webhooks(self, **fields: Unpack[models.ListWebhooksInput]) -> models.ListWebhooksOutput:
        """List the webhooks of the tenant, oldest first."""
        return cast(
            models.ListWebhooksOutput,
            self._call(
                Operation("listWebhooks", "GET", "/webhooks", in_body=False, creates=False, reads=False), fields
            ),
        )

    def delete_webhook(self, **fields: Unpack[models.DeleteWebhookInput]) -> models.DeleteWebhookOutput:
        """Stop sending changes to an address.

        Also removes its deliveries. An attempt that is in progress can still arrive.
        """
        return cast(
            models.DeleteWebhookOutput,
            self._call(
                Operation("deleteWebhook", "DELETE", "/webhooks/{id}", in_body=False, creates=False, reads=False),
                fields,
            ),
        )

    def list_deliveries(self, **fields: Unpack[models.ListDeliveriesInput]) -> models.ListDeliveriesOutput:
        """List the deliveries of a webhook, newest change first.

        The service keeps deliveries as long as changes: 7 days, unless the operator sets another time.
        """
        return cast(
            models.ListDeliveriesOutput,
            self._call(
                Operation(
                    "listDeliveries", "GET", "/webhooks/{id}/deliveries", in_body=False, creates=False, reads=False
                ),
                fields,
            ),
        )

    def redeliver(self, **fields: Unpack[models.RedeliverInput]) -> models.RedeliverOutput:
        """Send deliveries of a webhook again.

        Each gets a new day of attempts. The service also ends a pause of the webhook, so that it tries at
        once.
        """
        return cast(
            models.RedeliverOutput,
            self._call(
                Operation("redeliver", "POST", "/webhooks/{id}/redeliver", in_body=True, creates=False, reads=False),
                fields,
            ),
        )

    def list_policies(self, **fields: Unpack[models.ListPoliciesInput]) -> models.ListPoliciesOutput:
        """List the policies of the tenant, including the built-in ones."""
        return cast(
            models.ListPoliciesOutput,
            self._call(Operation("listPolicies", "GET", "/policies", in_body=False, creates=False, reads=True), fields),
        )

    def put_policy(self, **fields: Unpack[models.PutPolicyInput]) -> models.PutPolicyOutput:
        """Define a policy, or override a built-in one.

        Replaces all rules of the policy. If you omit a rule, it is not applied.
        """
        return cast(
            models.PutPolicyOutput,
            self._call(
                Operation("putPolicy", "PUT", "/policies/{name}", in_body=True, creates=False, reads=False), fields
            ),
        )

    def delete_policy(self, **fields: Unpack[models.DeletePolicyInput]) -> models.DeletePolicyOutput:
        """Delete a policy, or return to the built-in one.

        The request fails with `policy_in_use` if a memory or another policy uses the policy. If the tenant
        overrides a built-in policy, the built-in one applies again.
        """
        return cast(
            models.DeletePolicyOutput,
            self._call(
                Operation("deletePolicy", "DELETE", "/policies/{name}", in_body=False, creates=False, reads=False),
                fields,
            ),
        )

    def plan_maintenance(self, **fields: Unpack[models.PlanMaintenanceInput]) -> models.PlanMaintenanceOutput:
        """Plan maintenance: see what it would do, without doing it.

        Without `at` and `policies`, the service keeps the plan for one day, and you can apply exactly these
        changes. With either of them, the call only simulates: the service stores nothing, and `plan_id` is
        null. A plan of the kind `forget` or `merge` changes nothing before you apply it, and you can undo
        its run.
        """
        return cast(
            models.PlanMaintenanceOutput,
            self._call(
                Operation("planMaintenance", "POST", "/maintenance/plan", in_body=True, creates=False, reads=False),
                fields,
            ),
        )

    def apply_maintenance(self, **fields: Unpack[models.ApplyMaintenanceInput]) -> models.ApplyMaintenanceOutput:
        """Apply a maintenance plan.

        The service applies every change that still fits, and returns the others as `left_out`: their memory
        was changed, archived, restored, removed or maintained since, or the policy that it would move to
        was deleted. A memory that was only recalled still fits. Memories that are merged into one another
        are left out together. If no change fits, the response is `plan_moved`. After an interrupted
        request, call `getMaintenanceRun` to see whether the plan was applied.
        """
        return cast(
            models.ApplyMaintenanceOutput,
            self._call(
                Operation(
                    "applyMaintenance",
                    "POST",
                    "/maintenance/plans/{id}/apply",
                    in_body=True,
                    creates=False,
                    reads=False,
                ),
                fields,
            ),
        )

    def list_maintenance_runs(
        self, **fields: Unpack[models.ListMaintenanceRunsInput]
    ) -> models.ListMaintenanceRunsOutput:
        """List maintenance plans and runs, newest first."""
        return cast(
            models.ListMaintenanceRunsOutput,
            self._call(
                Operation("listMaintenanceRuns", "GET", "/maintenance/runs", in_body=False, creates=False, reads=False),
                fields,
            ),
        )

    def get_maintenance_run(self, **fields: Unpack[models.GetMaintenanceRunInput]) -> models.GetMaintenanceRunOutput:
        """Fetch a maintenance plan or run with its changes.

        The service keeps the changes for 7 days after the run, and the summary for 90 days.
        """
        return cast(
            models.GetMaintenanceRunOutput,
            self._call(
                Operation(
                    "getMaintenanceRun", "GET", "/maintenance/runs/{id}", in_body=False, creates=False, reads=False
                ),
                fields,
            ),
        )

    def undo_maintenance(self, **fields: Unpack[models.UndoMaintenanceInput]) -> models.UndoMaintenanceOutput:
        """Undo a maintenance run within 7 days.

        Memories that have changed since the run stay as they are. The response lists them as `skipped`.
        """
        return cast(
            models.UndoMaintenanceOutput,
            self._call(
                Operation(
                    "undoMaintenance", "POST", "/maintenance/runs/{id}/undo", in_body=True, creates=False, reads=False
                ),
                fields,
            ),
        )

    def erase_memories(self, **fields: Unpack[models.EraseMemoriesInput]) -> models.EraseMemoriesOutput:
        """Remove memories for good, with everything that is stored about them.

        Removes matching memories in every state, with their earlier versions, connections, recalls, queued
        jobs, stored responses, and what maintenance keeps for an undo. With the filter `source` or
        `session_id`, it also removes the earlier versions of other memories that matched all filters as
        they were. The receipt exists from the first step on. If the time for the request ends first, the
        service continues: fetch the receipt until its `state` is `complete`. With `all`, nothing can be
        written in the tenant until then. You cannot undo an erasure. Files of Neo4j, such as its
        transaction logs, can contain removed data for some time.
        """
        return cast(
            models.EraseMemoriesOutput,
            self._call(
                Operation("eraseMemories", "POST", "/erasures", in_body=True, creates=False, reads=False), fields
            ),
        )

    def get_erasure(self, **fields: Unpack[models.GetErasureInput]) -> models.GetErasureOutput:
        """Fetch the receipt of an erasure."""
        return cast(
            models.GetErasureOutput,
            self._call(
                Operation("getErasure", "GET", "/erasures/{id}", in_body=False, creates=False, reads=False), fields
            ),
        )

    def export_bundle(self, **fields: Unpack[models.ExportBundleInput]) -> Iterator[str]:
        """Export the data of the tenant as a bundle.

        A bundle is a text with one JSON object per line: a first line, policies, memories with their
        vectors, earlier versions, connections, earlier connections, rejected connections, and a manifest.
        With filters, it contains the matching memories and the connections between them, and all policies.
        The manifest contains the number of lines and the digest of each section. `importBundle` reads it.
        If the connection breaks, the bundle has no manifest; continue with the cursor of its last
        `checkpoint` line.
        """
        return self._stream(
            Operation("exportBundle", "GET", "/export", in_body=False, creates=False, reads=True), fields
        )

    def import_bundle(self, **fields: Unpack[models.ImportBundleInput]) -> models.ImportBundleOutput:
        """Import a bundle in parts.

        Send the lines of a bundle in order, in several calls. Pass the `cursor` of each response to the
        next call, until `done` is true. Each part is durable when its response arrives. Sending a part
        again, or the whole bundle, changes nothing more. If a line is invalid, the service refuses the
        whole part and names the line. Send all policies in one part, and each vector in the part of its
        memory. The service queues discovery only for memories that come without a usable vector, with
        changed content, or that were archived or expired here.
        """
        return cast(
            models.ImportBundleOutput,
            self._call(Operation("importBundle", "POST", "/import", in_body=True, creates=False, reads=False), fields),
        )

    def create_key(
        self, *, idempotency_key: str | None = None, **fields: Unpack[models.CreateKeyInput]
    ) -> models.CreateKeyOutput:
        """Create a key for a tenant.

        The response contains the secret. The service stores only its hash, so save it now.
        """
        return cast(
            models.CreateKeyOutput,
            self._call(
                Operation("createKey", "POST", "/admin/keys", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
            ),
        )

    def list_keys(self, **fields: Unpack[models.ListKeysInput]) -> models.ListKeysOutput:
        """List the tenant's keys."""
        return cast(
            models.ListKeysOutput,
            self._call(Operation("listKeys", "GET", "/admin/keys", in_body=False, creates=False, reads=False), fields),
        )

    def rotate_key(
        self, *, idempotency_key: str | None = None, **fields: Unpack[models.RotateKeyInput]
    ) -> models.RotateKeyOutput:
        """Replace a key by a new one.

        The new key has the same name, tenants, owner, scopes and rate limit, and expires when the old key
        would have. The old key stays valid for `overlap_seconds`, so that you can change the secret where
        it is used without an outage. You can rotate a key again during its overlap, for example if you lost
        the response: this creates another new key and never extends the overlap. An expired key cannot be
        rotated.
        """
        return cast(
            models.RotateKeyOutput,
            self._call(
                Operation("rotateKey", "POST", "/admin/keys/{id}/rotate", in_body=True, creates=True, reads=False),
                fields,
                idempotency_key=idempotency_key,
            ),
        )

    def delete_key(self, **fields: Unpack[models.DeleteKeyInput]) -> models.DeleteKeyOutput:
        """Revoke a key.

        The service refuses the key from now on.
        """
        return cast(
            models.DeleteKeyOutput,
            self._call(
                Operation("deleteKey", "DELETE", "/admin/keys/{id}", in_body=False, creates=False, reads=False), fields
            ),
        )

    def list_jobs(self, **fields: Unpack[models.ListJobsInput]) -> models.ListJobsOutput:
        """List the jobs of the queue, oldest first.

        With `kind`, the service looks at the 10,000 oldest jobs of each state.
        """
        return cast(
            models.ListJobsOutput,
            self._call(Operation("listJobs", "GET", "/admin/jobs", in_body=False, creates=False, reads=False), fields),
        )

    def retry_job(self, **fields: Unpack[models.RetryJobInput]) -> models.RetryJobOutput:
        """Queue a failed job again.

        The job gets a new set of attempts.
        """
        return cast(
            models.RetryJobOutput,
            self._call(
                Operation("retryJob", "POST", "/admin/jobs/{id}/retry", in_body=True, creates=False, reads=False),
                fields,
            ),
        )

    def list_tenants(self, **fields: Unpack[models.ListTenantsInput]) -> models.ListTenantsOutput:
        """List the tenants in alphabetical order.

        Only the operator key can do this. A tenant exists as soon as it has a memory, a key, a policy, a
        webhook or a quota. The private memories of an owner are listed as a tenant of their own, such as
        platform-team~anna.
        """
        return cast(
            models.ListTenantsOutput,
            self._call(
                Operation("listTenants", "GET", "/admin/tenants", in_body=False, creates=False, reads=False), fields
            ),
        )

    def put_quota(self, **fields: Unpack[models.PutQuotaInput]) -> models.PutQuotaOutput:
        """Set how much a tenant may store.

        Only the operator key can do this. Creating and importing memories, or longer contents, beyond the
        quota fails with 403 `quota_exceeded`. Quotas are exact, also with several processes. Other
        processes use a new quota within 10 seconds. A tenant without a quota of its own has the quota of
        the settings. Private memories of an owner have a quota of their own, or as much as the tenant may
        store.
        """
        return cast(
            models.PutQuotaOutput,
            self._call(
                Operation("putQuota", "PUT", "/admin/tenants/{tenant}/quota", in_body=True, creates=False, reads=False),
                fields,
            ),
        )

    def erase_tenant(self, **fields: Unpack[models.EraseTenantInput]) -> models.EraseTenantOutput:
        """Erase a tenant with everything that it has.

        Only the operator key can do this. The service revokes the keys of the tenant, and removes its
        memories as `eraseMemories` does, then its policies, plans, jobs and feed. From the first step on
        nothing can be written in the tenant, also with a token of an issuer; it stays closed until the
        operator creates a key, sets a quota or imports a backup for it. The audit log and the receipts of
        erasures stay. The private memories of its owners are erased with it; one receipt, in the tenant, is
        of all. If you name private memories, only they are erased, and the keys of the owner stay. You
        cannot undo it. If the time for the request ends first, the service continues: fetch the receipt
        with `getErasure` in the tenant.
        """
        return cast(
            models.EraseTenantOutput,
            self._call(
                Operation(
                    "eraseTenant", "DELETE", "/admin/tenants/{tenant}", in_body=False, creates=False, reads=False
                ),
                fields,
            ),
        )

    def export_records(self, **fields: Unpack[models.ExportRecordsInput]) -> models.ExportRecordsOutput:
        """Export the keys, webhooks and quota of a tenant, for a backup.

        Only the operator key can do this. The response contains hashes of keys and secrets of webhooks, so
        keep it safe. `listAudit` returns the audit log.
        """
        return cast(
            models.ExportRecordsOutput,
            self._call(
                Operation(
                    "exportRecords", "GET", "/admin/tenants/{tenant}/records", in_body=False, creates=False, reads=False
                ),
                fields,
            ),
        )

    def import_records(self, **fields: Unpack[models.ImportRecordsInput]) -> models.ImportRecordsOutput:
        """Restore keys, webhooks, the quota and the audit log of a tenant.

        Only the operator key can do this. What the tenant has already stays as it is. A restored key works
        with its old secret. A restored webhook receives changes from now on. Audit entries must continue
        the log of the tenant, or the log must be empty.
        """
        return cast(
            models.ImportRecordsOutput,
            self._call(
                Operation(
                    "importRecords", "POST", "/admin/tenants/{tenant}/records", in_body=True, creates=False, reads=False
                ),
                fields,
            ),
        )

    def list_audit(self, **fields: Unpack[models.ListAuditInput]) -> models.ListAuditOutput:
        """List who did what in the tenant, newest first.

        The log records changes of keys and policies, applied and undone plans, erasures, exports, imports,
        permanent deletions, switches of embedding spaces, resolved conflicts, pauses of the queue, retries,
        and refused credentials. Refused credentials that belong to no tenant are in the log of the tenant
        `default`. Each entry has the digest of the entry before it, so that a changed or missing entry is
        found.
        """
        return cast(
            models.ListAuditOutput,
            self._call(
                Operation("listAudit", "GET", "/admin/audit", in_body=False, creates=False, reads=False), fields
            ),
        )

    def retry_jobs(self, **fields: Unpack[models.RetryJobsInput]) -> models.RetryJobsOutput:
        """Queue all failed jobs again, or those of one kind.

        Each job gets a new set of attempts.
        """
        return cast(
            models.RetryJobsOutput,
            self._call(
                Operation("retryJobs", "POST", "/admin/jobs/retry", in_body=True, creates=False, reads=False), fields
            ),
        )

    def pause_queue(self, **fields: Unpack[models.PauseQueueInput]) -> models.PauseQueueOutput:
        """Pause the queue until a time.

        Running jobs finish, and no other job starts. Writes, searches and recalls keep working and queue
        their jobs. A new pause replaces the old one.
        """
        return cast(
            models.PauseQueueOutput,
            self._call(
                Operation("pauseQueue", "POST", "/admin/queue/pause", in_body=True, creates=False, reads=False), fields
            ),
        )

    def resume_queue(self, **fields: Unpack[models.ResumeQueueInput]) -> models.ResumeQueueOutput:
        """End a pause of the queue.

        A tenant can have its own pause in addition to one of all tenants. Only the operator key can end a
        pause of all tenants.
        """
        return cast(
            models.ResumeQueueOutput,
            self._call(
                Operation("resumeQueue", "POST", "/admin/queue/resume", in_body=True, creates=False, reads=False),
                fields,
            ),
        )

    def rediscover_memories(self, **fields: Unpack[models.RediscoverMemoriesInput]) -> models.RediscoverMemoriesOutput:
        """Discover the connections of all active memories again.

        Use this after you change the threshold for discovery. The service measures the tenant, removes
        discovered connections that are no longer due and adds missing ones. Asserted connections stay. To
        see the progress, call `listJobs` with `kind` set to `rediscover`.
        """
        return cast(
            models.RediscoverMemoriesOutput,
            self._call(
                Operation("rediscoverMemories", "POST", "/admin/rediscovery", in_body=True, creates=False, reads=False),
                fields,
            ),
        )

    def list_embedding_spaces(
        self, **fields: Unpack[models.ListEmbeddingSpacesInput]
    ) -> models.ListEmbeddingSpacesOutput:
        """List the embedding spaces with their progress.

        Concerns all tenants, so only the operator key can call it.
        """
        return cast(
            models.ListEmbeddingSpacesOutput,
            self._call(
                Operation("listEmbeddingSpaces", "GET", "/admin/embeddings", in_body=False, creates=False, reads=False),
                fields,
            ),
        )

    def compare_embedding_spaces(
        self, **fields: Unpack[models.CompareEmbeddingSpacesInput]
    ) -> models.CompareEmbeddingSpacesOutput:
        """Compare an embedding space with the active one.

        Use this before you switch. For a sample of the newest memories of the tenant, the service compares
        their nearest neighbours in both spaces. Only the operator key can call it.
        """
        return cast(
            models.CompareEmbeddingSpacesOutput,
            self._call(
                Operation(
                    "compareEmbeddingSpaces",
                    "POST",
                    "/admin/embeddings/{id}/compare",
                    in_body=True,
                    creates=False,
                    reads=False,
                ),
                fields,
            ),
        )

    def switch_embedding_space(
        self, **fields: Unpack[models.SwitchEmbeddingSpaceInput]
    ) -> models.SwitchEmbeddingSpaceOutput:
        """Switch searches to an embedding space.

        The request fails while more than 1 % of the memories have no vector in the space. To roll back,
        switch to the previous space. Only the operator key can call it.
        """
        return cast(
            models.SwitchEmbeddingSpaceOutput,
            self._call(
                Operation(
                    "switchEmbeddingSpace",
                    "POST",
                    "/admin/embeddings/{id}/switch",
                    in_body=True,
                    creates=False,
                    reads=False,
                ),
                fields,
            ),
        )

    def delete_embedding_space(
        self, **fields: Unpack[models.DeleteEmbeddingSpaceInput]
    ) -> models.DeleteEmbeddingSpaceOutput:
        """Delete an embedding space and its vectors.

        You cannot delete the active space. Only the operator key can call this.
        """
        return cast(
            models.DeleteEmbeddingSpaceOutput,
            self._call(
                Operation(
                    "deleteEmbeddingSpace",
                    "DELETE",
                    "/admin/embeddings/{id}",
                    in_body=False,
                    creates=False,
                    reads=False,
                ),
                fields,
            ),
        )

    def get_access(self, **fields: Unpack[models.GetAccessInput]) -> models.GetAccessOutput:
        """See what the key of the request may do.

        A program can use it to offer only what the key allows.
        """
        return cast(
            models.GetAccessOutput,
            self._call(Operation("getAccess", "GET", "/access", in_body=False, creates=False, reads=True), fields),
        )

    def get_health(self, **fields: Unpack[models.GetHealthInput]) -> models.GetHealthOutput:
        """Check whether the process runs.

        Does not check the database. Needs no key.
        """
        return cast(
            models.GetHealthOutput,
            self._call(Operation("getHealth", "GET", "/health", in_body=False, creates=False, reads=True), fields),
        )

    def get_readiness(self, **fields: Unpack[models.GetReadinessInput]) -> models.GetReadinessOutput:
        """Check whether the service can handle requests.

        Returns status 503 with the same body if it cannot. Needs no key.
        """
        return cast(
            models.GetReadinessOutput,
            self._call(Operation("getReadiness", "GET", "/ready", in_body=False, creates=False, reads=True), fields),
        )

    def get_open_api(self, **fields: Unpack[models.GetOpenApiInput]) -> models.GetOpenApiOutput:
        """Fetch the OpenAPI description of the REST API.

        Needs no key.
        """
        return cast(
            models.GetOpenApiOutput,
            self._call(
                Operation("getOpenApi", "GET", "/openapi.json", in_body=False, creates=False, reads=True), fields
            ),
        )
