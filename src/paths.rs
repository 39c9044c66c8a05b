//! Where things lie on disk: the state folder, traces by server name, private fall-back folders.
