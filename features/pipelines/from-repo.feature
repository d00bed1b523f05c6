Feature: Jobs that run a file from a repository

  @far-end
  Rule: A file in a repository is read through the forge's API when its job begins

    Background:
      Given a far end that answers:
        | path                                  | status | type                                           | body                                                                                                                |
        | /repos/acme/web/contents/ops/go.sh    | 200    | application/vnd.github.raw+json; charset=utf-8 | t=${TOKEN:-}; svc output set text="$WHO ${#t}"                                                                                |
        | /repos/acme/web/contents/ops/sub.yml  | 200    | application/vnd.github.raw+json; charset=utf-8 | {outputs: {text: "${{ jobs.a.outputs.n }}"}, jobs: {a: {steps: [{id: s, run: 'echo n=$N >> $SVC_OUTPUT', env: {N: "${{ input.n }}"}}], outputs: {n: "${{ steps.s.output.n }}"}}}} |
        | /repos/acme/web/contents/ops/one.json | 200    | application/vnd.github.raw+json; charset=utf-8 | {"version":"svc-graph/v1","nodes":[{"id":"a","type":"set","config":{"values":{"sum":{"$expr":"input.n + 1"}}}}],"edges":[]} |
        | /repos/acme/web/contents/ops/bad.yml  | 200    | application/vnd.github.raw+json; charset=utf-8 | {jobs: {a: {step: []}}}                                                                                             |
      And the credential "forge" is '{"kind": "bearer", "token": "tok-canary-2"}'
      And the credential "bot" is '{"kind": "bearer", "token": "long-enough"}'

    @GRAPH-027
    Scenario: a script, a pipeline and a graph are read at a branch with a credential
      When I submit the pipeline with '{"input": {"branch": "main"}}':
        """
        outputs:
          script: "${{ jobs.script.outputs.text }}"
          pipeline: "${{ jobs.pipeline.all.map(x, x.text) }}"
          graph: "${{ jobs.graph.outputs.sum }}"
        credentials: { TOKEN: bot }
        vars: { folder: ops }
        jobs:
          script:
            workflow:
              from_repo: { path: "${{ vars.folder }}/go.sh", repo: acme/web, credential: forge, api_base: "{far}", ref: "${{ input.branch }}" }
            env: { WHO: ann }
          pipeline:
            workflow: { from_repo: { path: ops/sub.yml, repo: acme/web, credential: forge, api_base: "{far}" } }
            strategy: { matrix: { n: [1, 2] } }
            with: { n: "${{ matrix.n }}" }
          graph:
            workflow: { from_repo: { path: ops/one.json, repo: acme/web, credential: forge, api_base: "{far}" } }
            with: { n: 4 }
        """
      Then the run succeeds
      And "output.script" of the run is "ann 11"
      And "output.pipeline" of the run is '["1","2"]'
      And "output.graph" of the run is "5"
      And the far end got in any order:
        | method | path                                          | authorization       |
        | GET    | /repos/acme/web/contents/ops/go.sh?ref=main   | Bearer tok-canary-2 |
        | GET    | /repos/acme/web/contents/ops/sub.yml          | Bearer tok-canary-2 |
        | GET    | /repos/acme/web/contents/ops/one.json         | Bearer tok-canary-2 |
      And nobody can read "tok-canary-2" anywhere in the run

    @contract
    Scenario: the file is read only when the job runs, while the job holds its lease
      When I submit the pipeline:
        """
        jobs:
          out: { if: "false", workflow: { from_repo: { path: none.sh, repo: acme/web, credential: forge, api_base: "{far}" } } }
          in: { concurrency: site, workflow: { from_repo: { path: ops/go.sh, repo: acme/web, credential: forge, api_base: "{far}" } }, env: { WHO: bo } }
        """
      Then the run succeeds
      And the far end got in any order:
        | method | path                               |
        | GET    | /repos/acme/web/contents/ops/go.sh |

    @contract
    Scenario Outline: a file that cannot be run fails the job: <what>
      When I submit the pipeline with '{"input": {"ref": "<ref>"}}':
        """
        jobs:
          bad: { workflow: { from_repo: { path: <path>, repo: acme/web, credential: forge, api_base: "<api>", ref: "${{ input.ref }}" } } }
          after: { needs: bad, always: true, steps: [{ run: 'echo "it was ${{ jobs.bad.status }}"' }] }
        """
      Then the run fails and its error has "<part>"
      And the log has "it was failed"

      Examples:
        | what             | path         | ref  | api          | part                                                                                   |
        | it is not there  | ops/none.sh  | v1   | {far}        | job bad: ops/none.sh of acme/web at v1 cannot be read                                  |
        | with its address | ops/none.sh  | v1   | {far}        | /repos/acme/web/contents/ops/none.sh?ref=v1 answered 404                               |
        | no valid one     | ops/bad.yml  | main | {far}        | the pipeline is not valid: 1:                                                          |
        | nobody answers   | ops/go.sh    | main | http://{here}:1    | job bad: ops/go.sh of acme/web at main cannot be read                            |

    @contract
    Scenario: an untrusted run has no credential to read the file with
      Given the handler "taker" with '{"on": ["forge.issue_comment"], "kind": "pipeline"}' runs "ci.yml":
        """
        jobs: { one: { workflow: { from_repo: { path: ops/go.sh, repo: acme/web, credential: forge, api_base: "{far}" } } } }
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site"}'
      When forge_a delivers "issue_comment" to "ci":
        """
        {"action": "created", "repository": {"full_name": "acme/site"}, "comment": {"author_association": "NONE"}, "issue": {"number": 1}, "sender": {"login": "mallory"}}
        """
      Then the run of "taker" is "failed"
      And the error of the failed run of "taker" has "of an untrusted run names the credential forge"
      And the far end got 0 requests

  @contract
  Rule: Problems that are known in advance are reported by the check

    Scenario Outline: the check rejects <what>
      When I check the pipeline:
        """
        <text>
        """
      Then it has the problem "<part>" at "<place>"

      Examples:
        | what                        | text                                                                                           | part                                  | place |
        | no credential               | {jobs: {a: {workflow: {from_repo: {path: a.sh, repo: a/b}}}}}                                  | `credential` is missing               | 1:24  |
        | a credential with a hole    | {jobs: {a: {workflow: {from_repo: {path: a.sh, repo: a/b, credential: "${{ vars.c }}"}}}}}     | the credential name literally         | 1:71  |
        | a credential nobody has     | {jobs: {a: {workflow: {from_repo: {path: a.sh, repo: a/b, credential: none}}}}}                | none                                  | 1:23  |
        | a path that leaves          | {jobs: {a: {workflow: {from_repo: {path: ../a.sh, repo: a/b, credential: c}}}}}                | `path` must be names                  | 1:42  |
        | a member nobody knows       | {jobs: {a: {workflow: {from_repo: {path: a.sh, repo: a/b, credential: c, reff: x}}}}}          | `reff` is not supported here; did you mean `ref`? | 1:74 |
        | two forms                   | {jobs: {a: {workflow: {graph: g, from_repo: {path: a.sh, repo: a/b, credential: c}}}}}         | either `graph` or `from_repo`        | 1:23  |
        | no form                     | {jobs: {a: {workflow: {}}}}                                                                    | either `graph` or `from_repo`        | 1:23  |
        | a place of each combination | {jobs: {a: {strategy: {matrix: {n: [1]}}, workflow: {from_repo: {path: "${{ matrix.n }}", repo: a/b, credential: c}}}}} | matrix | 1:77 |
