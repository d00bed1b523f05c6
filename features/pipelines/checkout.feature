@contract
Feature: The repository of a push

  Rule: The workspace begins with the pushed commit

    Scenario: a file of the repository, in every job
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

    @far-end
    Scenario: the webhook's credential opens the repository, and no step sees it
      Given a repository "site" whose "file" is:
        """
        from behind the password
        """
      And a git server that takes "x-access-token:token-of-the-forge" noted as "git"
      And the credential "bot" is '{"kind": "bearer", "token": "token-of-the-forge"}'
      And the webhook "ci" with '{"forge": "forge_a", "repo": "acme/site", "credential": "bot", "pipeline": "jobs: { one: { steps: [{ run: cat file; env; cat .git/config; ps -eo args }] } }"}'
      When forge_a delivers "push" to "ci":
        """
        {"ref": "refs/heads/main", "after": "{sha}", "repository": {"full_name": "acme/site", "clone_url": "{git}/site"}}
        """
      Then the workflow of the webhook "ci" succeeds
      And the log has "from behind the password"
      And the log lacks "GIT_CHECKOUT"
      And the log lacks "token-of-the-forge"

  Rule: A repository that cannot be cloned fails the job

    @far-end
    Scenario Outline: <what>
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
        | a sha that is none        | file://{folder}/repos/site | main                                     | no id of a commit     |
        | another protocol          | ssh://git@host/site        | {sha}                                    | has a user in it      |
        | a server over http        | http://forge.example/site  | {sha}                                    | is not https          |
