@contract
Feature: Checking out the repository of a push

  Rule: The workspace starts with the pushed commit

    @needs-git
    Scenario: every job gets the files of the repository
      Given a repository "site" whose "build.sh" is:
        """
        echo "built by the repository"
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "pipeline": "jobs: { one: { steps: [{ run: bash build.sh; git rev-parse HEAD }] }, two: { checkout: false, steps: [{ run: test ! -e build.sh }] } }"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "file://{folder}/repos/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "built by the repository"
      And the log has "{sha}"

    @far-end @needs-git
    Scenario: the webhook's credential opens the repository, but no step sees it
      Given a repository "site" whose "file" is:
        """
        from behind the password
        """
      And a git server that takes "x-access-token:token-of-the-forge" noted as "git"
      And the credential "bot" is '{"kind": "bearer", "token": "token-of-the-forge"}'
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "api_base": "{git}", "credential": "bot", "pipeline": "jobs: { one: { steps: [{ run: cat file; env; cat .git/config; ps -eo args }] } }"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "{git}/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "from behind the password"
      And the log lacks "GIT_CHECKOUT"
      And the log lacks "token-of-the-forge"

    @far-end @needs-git
    Scenario: the webhook's credential is not sent to a server that only the delivery specifies
      Given a repository "site" whose "file" is:
        """
        from behind the password
        """
      And a git server that takes "x-access-token:token-of-the-forge" noted as "git"
      And the credential "bot" is '{"kind": "bearer", "token": "token-of-the-forge"}'
      And the handler "build" with '{"on": ["push"], "kind": "pipeline"}' runs "ci.yml":
        """
        jobs: { one: { steps: [{ run: echo NEVER }] } }
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "credential": "bot"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "{git}/site"}}
        """
      Then the run of "build" is "failed"
      And the error of the failed run of "build" has "git fetch ended with exit code 128, without a credential"

    @needs-git
    Scenario: a pushed tag is checked out under its name
      Given a repository "site" whose "version" is:
        """
        one
        """
      And the repository "site" has the tag "v1.2"
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "pipeline": "jobs: { one: { steps: [{ run: git describe --exact-match --tags }] } }"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/tags/v1.2", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "file://{folder}/repos/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "v1.2"

    @needs-git
    Scenario: a script job also starts with the repository, unless the job turns this off
      Given a repository "site" whose "build.sh" is:
        """
        echo "built by the repository"
        """
      And the webhook "ci" with:
        """
        {"forge": "forge_a", "repo": "acme/site", "pipeline": "jobs: { one: { workflow: one.sh }, two: { needs: one, checkout: false, workflow: two.sh } }\nfiles: { one.sh: 'svc step build -- bash \"$SVC_WORKSPACE/build.sh\" && test \"$PWD\" = \"$SVC_WORKSPACE\"', two.sh: 'test ! -e build.sh && echo \"two has ${SVC_WORKSPACE-nothing}\"' }\n"}
        """
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "file://{folder}/repos/site"}}
        """
      Then the workflow of the webhook "ci" succeeds

  Rule: A script started by a forge event can start with the repository

    @far-end @needs-git
    Scenario: a handler's script gets the repository in every pass, with the webhook's credential
      Given a repository "site" whose "file" is:
        """
        from behind the password
        """
      And a git server that takes "x-access-token:token-of-the-forge" noted as "git"
      And the credential "bot" is '{"kind": "bearer", "token": "token-of-the-forge"}'
      And the handler "build" with '{"on": ["push"], "checkout": true}' runs "build.sh":
        """
        before=$(cat file)
        svc sleep 10ms
        echo "$before, and again $(cat "$SVC_WORKSPACE/file")"
        env
        cat .git/config
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "api_base": "{git}", "credential": "bot"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "{git}/site"}}
        """
      Then the run of "build" is "succeeded"
      And the log has "from behind the password, and again from behind the password"
      And the log lacks "GIT_CHECKOUT"
      And the log lacks "token-of-the-forge"

  Rule: The workspace of a pull request starts with its head commit

    @far-end @needs-git
    Scenario: the credential is used for a pull request within the project
      Given a repository "site" whose "file" is:
        """
        the head of the pull request
        """
      And a git server that takes "x-access-token:token-of-the-forge" noted as "git"
      And the credential "bot" is '{"kind": "bearer", "token": "token-of-the-forge"}'
      And the handler "build" with '{"on": ["forge.pull_request"], "kind": "pipeline"}' runs "ci.yml":
        """
        jobs: { one: { steps: [{ run: cat file; git rev-parse HEAD }] } }
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "api_base": "{git}", "credential": "bot"}'
      When forge_a delivers "pull_request" to "ci":
        """
        {"action": "opened", "number": 7, "repository": {"full_name": "acme/site", "clone_url": "{git}/site"},
         "pull_request": {"author_association": "MEMBER", "base": {"repo": {"full_name": "acme/site"}},
           "head": {"ref": "topic", "sha": "{sha}", "repo": {"full_name": "acme/site", "clone_url": "{git}/site"}}}}
        """
      Then the run of "build" is "succeeded"
      And the log has "the head of the pull request"

    @far-end @needs-git
    Scenario: no credential is used for a pull request from a fork
      Given a repository "fork" whose "file" is:
        """
        by an outsider
        """
      And a git server that takes "x-access-token:token-of-the-forge" noted as "git"
      And the credential "bot" is '{"kind": "bearer", "token": "token-of-the-forge"}'
      And the handler "build" with '{"on": ["forge.pull_request"], "kind": "pipeline"}' runs "ci.yml":
        """
        jobs: { one: { steps: [{ run: echo NEVER }] } }
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "api_base": "{git}", "credential": "bot"}'
      When forge_a delivers "pull_request" to "ci":
        """
        {"action": "opened", "number": 8, "repository": {"full_name": "acme/site", "clone_url": "{git}/site"},
         "pull_request": {"author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
           "head": {"ref": "topic", "sha": "{sha}", "repo": {"full_name": "mallory/site", "clone_url": "{git}/fork"}}}}
        """
      Then the run of "build" is "failed"
      And the error of the failed run of "build" has "git fetch ended with"

  Rule: A job can set how much of the repository it needs

    @needs-git
    Scenario: a job checks out the whole history and only one folder
      Given a repository "site" whose "lib/a" is:
        """
        one
        """
      And a repository "site" whose "docs/b" is:
        """
        two
        """
      And the webhook "ci" with:
        """
        {"forge": "forge_a", "repo": "acme/site", "pipeline": "jobs: { one: { checkout: { depth: 0, paths: [lib] }, steps: [{ run: 'echo \"commits $(git rev-list --count HEAD)\"; test -e lib/a; test ! -e docs' }] } }"}
        """
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "file://{folder}/repos/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "commits 2"

  Rule: A repository that cannot be cloned fails the job

    @far-end @needs-git
    Scenario Outline: the job fails: <what>
      Given a repository "site" whose "file" is:
        """
        text
        """
      And a git server that takes "ann:secret" noted as "git"
      And the handler "build" with '{"on": ["push"], "kind": "pipeline"}' runs "ci.yml":
        """
        jobs: { one: { steps: [{ run: echo NEVER }] } }
        """
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "<sha>", "repository": {"full_name": "acme/site", "clone_url": "<url>"}}
        """
      Then the run of "build" is "failed"
      And the error of the failed run of "build" has "<part>"

      Examples:
        | what                      | url                        | sha                                      | part                  |
        | a password that it wants  | {git}/site                 | {sha}                                    | git fetch ended with  |
        | a repository that is gone | file://{folder}/repos/none | {sha}                                    | git fetch ended with  |
        | a commit that is gone     | file://{folder}/repos/site | 0123456789012345678901234567890123456789 | git fetch ended with  |
        | a sha that is none        | file://{folder}/repos/site | main                                     | not a commit ID       |
        | another protocol          | ssh://git@host/site        | {sha}                                    | contains a username   |
        | a server over http        | http://forge.example/site  | {sha}                                    | is neither https      |
