Feature: Credentials of a pipeline

  Background:
    Given the credential "wide" is '{"kind": "bearer", "token": "token-of-the-workflow"}'
    And the credential "narrow" is '{"kind": "bearer", "token": "token-of-the-job"}'

  Rule: A more specific credential takes precedence, and credentials override variables and secrets

    @AUTH-021
    Scenario: a job's credential overrides the workflow's credential
      Given the secret "TOKEN" is "token-of-the-project"
      When I submit the pipeline:
        """
        env: { OTHER: literal }
        credentials: { TOKEN: wide, OTHER: wide }
        jobs:
          near:
            credentials: { TOKEN: narrow }
            steps:
              - run: printf %s "$TOKEN" | sha256sum | cut -c1-64 >> {folder}/near
              - env: { OTHER: step }
                run: printf %s "$OTHER" | sha256sum | cut -c1-64 >> {folder}/far
          far: { steps: [{ run: 'printf %s "$TOKEN" | sha256sum | cut -c1-64 >> {folder}/far; echo "$TOKEN"' }] }
        """
      Then the run succeeds
      And the file "near" is:
        """
        147f56fae3d8d81f44dc7596bc2006a613a3c5f3e3ce63d1a560c6f433eeb5b8
        """
      And the file "far" has 2 lines
      And the file "far" has 1 different lines
      And the log has "***"
      And the log lacks "token-of"

  Rule: An untrusted run gets no credentials

    @AUTH-024 @AUTH-027 @needs-cc
    Scenario: a job that declares a credential fails, and other jobs get no secret
      Given the secret "TOKEN" is "token-of-the-project"
      And the handler "check" with '{"on": ["forge.pull_request"], "kind": "pipeline"}' runs "ci.yml":
        """
        jobs:
          open: { steps: [{ run: 'echo "open: ${TOKEN-nothing}"' }] }
          closed: { credentials: { TOKEN: narrow }, steps: [{ run: echo NEVER }] }
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site"}'
      When forge_a delivers "pull_request" to "ci":
        """
        {"action": "opened", "repository": {"full_name": "acme/site"}, "pull_request": {"author_association": "NONE", "head": {"repo": {"full_name": "eve/site"}}}}
        """
      Then the run of "check" is "failed"
      And "trusted" of the run is "false"
      # @contract
      And "error.code" of the run is "untrusted_run_declares_credential"
      And the log has "open: nothing"
      And the log lacks "NEVER"

  @contract
  Rule: All future uses of a credential are listed

    Scenario: handlers, schedules, webhooks and runs whose pipelines use the credential are listed
      Given a file "hold.yml":
        """
        credentials: { TOKEN: wide }
        jobs: { a: { wait_for_event: go }, b: { credentials: { KEY: narrow }, steps: [{ run: "true" }] } }
        """
      When I call "svc handler set look hold.yml --on t"
      Then it exits with 0
      When I call "svc schedule set nightly '0 0 1 1 *' hold.yml"
      Then it exits with 0
      When I call "svc webhook set site --forge forge_a --repo acme/site --pipeline hold.yml"
      Then it exits with 0
      When I submit the pipeline:
        """
        credentials: { TOKEN: wide }
        jobs: { a: { wait_for_event: go }, b: { credentials: { KEY: narrow }, steps: [{ run: "true" }] } }
        """
      Then the run waits for "event" "go"
      When I call "svc credential uses wide"
      Then standard output matches "^handler +look +/credentials/TOKEN$"
      And standard output matches "^schedule +nightly +/credentials/TOKEN$"
      And standard output matches "^webhook +site +/credentials/TOKEN$"
      And standard output matches "^run +{run} +.*: /credentials/TOKEN$"
      When I call "svc credential uses narrow"
      Then standard output matches "^webhook +site +/jobs/b/credentials/KEY$"
      And standard output matches "^run +{run} +.*: /jobs/b/credentials/KEY$"
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer lacks "/credentials/TOKEN"
      When I send "GET" to "{scoped}/handlers/look"
      Then the answer lacks "/credentials/TOKEN"
      When I cancel the run because "seen"
      And I call "svc credential uses wide"
      Then standard output lacks "run_"
