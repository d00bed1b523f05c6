@contract
Feature: Traces of runs

  Rule: Without an endpoint, no trace is exported

    @own-server
    Scenario: neither a script nor its steps get a trace, and a trace set by the script is kept
      When I submit the script "job.sh":
        """
        echo "script [${TRACEPARENT-}${TRACESTATE-}${SVC_TRACE-}]"
        svc step plain -- bash -c 'echo "step [${TRACEPARENT-}${SVC_TRACE-}]"'
        export TRACEPARENT=mine
        svc step own -- bash -c 'echo "own [$TRACEPARENT]"'
        """
      Then the run succeeds
      And the log has "script []"
      And the log has "step []"
      And the log has "own [mine]"
      And the run has no "trace_id"

  Rule: With an endpoint, each part of a run is a span

    @own-server @configured
    Scenario: a script's calls become spans
      Given a collector of traces
      And a server and an agent of their own with:
        | OTEL_EXPORTER_OTLP_ENDPOINT | {collector}                            |
        | OTEL_BSP_SCHEDULE_DELAY     | 10                                     |
        | SVC_TRACE_URL               | https://traces.example.org/t/{trace_id} |
      When I submit the script "job.sh" with the traceparent "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01":
        """
        svc step build -- bash -c 'echo "step $TRACEPARENT and $(env | grep -c ^SVC_)"'
        echo "script $TRACEPARENT"
        svc sleep 10ms
        svc step ship -- echo canary
        """
      Then the run succeeds
      And the trace of the run has the spans:
        | span          | parent        |
        | run job.sh    | -             |
        | activity main | run job.sh    |
        | pass 1        | activity main |
        | step build    | pass 1        |
        | sleep         | activity main |
        | pass 2        | activity main |
        | step ship     | pass 2        |
      And "svc.site" of the span "step build" is "build#0"
      And "svc.status" of the span "run job.sh" is "succeeded"
      And "trace_id" of the run is "0af7651916cd43dd8448eb211c80319c"
      And "trace_url" of the run is "https://traces.example.org/t/0af7651916cd43dd8448eb211c80319c"
      And no span holds "canary"
      When the span "step build" is noted as "build"
      And the span "pass 1" is noted as "first"
      Then the log has "step {build} and 1"
      And the log has "script {first}"
      And the collector has a span "POST /api/v1/orgs/:org/projects/:project/runs" whose "http.response.status_code" matches "201"

    @own-server @configured @far-end
    Scenario: a node's request carries its span, and the span's address shows no credential
      Given a collector of traces
      And a server and an agent of their own with:
        | OTEL_EXPORTER_OTLP_ENDPOINT | {collector}  |
        | OTEL_EXPORTER_OTLP_PROTOCOL | http/json    |
        | OTEL_BSP_SCHEDULE_DELAY     | 10           |
        | SVC_EGRESS_ALLOW            | 127.0.0.0/8  |
      And a far end
      When I run the node "http" with:
        """
        {"url": "{far}/items?key=canary"}
        """
      Then the run succeeds
      And "traceparent" of request 1 matches "00-[0-9a-f]{32}-[0-9a-f]{16}-01"
      And the collector has a span "GET" whose "url.full" matches "{far}/items"
      And no span holds "canary"
